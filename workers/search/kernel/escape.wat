;; What JSON escapes within a string, sixteen bytes at a time. `npm run kernel` makes escape-code.ts of it.
(module
  (import "host" "memory" (memory 1))

  ;; By control character: what stands behind the backslash.
  (data (i32.const 0) "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu")

  ;; Copies the bytes from $from to $to to $out, and answers where they end there. Up to fifteen bytes behind both are read
  ;; and written. Everything but control characters, quotes and backslashes stands for itself.
  (func (export "escape") (param $from i32) (param $to i32) (param $out i32) (result i32)
    (local $bytes v128) (local $marked i32) (local $byte i32) (local $letter i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $bytes (v128.load (local.get $from)))
        (v128.store (local.get $out) (local.get $bytes))
        (local.set $marked (i8x16.bitmask (v128.or
          (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))
          (v128.or
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))))
        (if (i32.eqz (local.get $marked))
          (then
            (local.set $from (i32.add (local.get $from) (i32.const 16)))
            (local.set $out (i32.add (local.get $out) (i32.const 16)))
            (br $next)))
        (local.set $marked (i32.ctz (local.get $marked)))
        (local.set $from (i32.add (local.get $from) (local.get $marked)))
        (local.set $out (i32.add (local.get $out) (local.get $marked)))
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $byte (i32.load8_u (local.get $from)))
        (local.set $letter (local.get $byte))
        (if (i32.lt_u (local.get $byte) (i32.const 0x20))
          (then (local.set $letter (i32.load8_u (local.get $byte)))))
        (i32.store16 (local.get $out) (i32.or (i32.const 0x5c) (i32.shl (local.get $letter) (i32.const 8))))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (br_if $next (i32.ne (local.get $letter) (i32.const 0x75)))
        ;; The four digits behind \u, of which the last two tell: "00", 0 or 1, and 0 to f.
        (i32.store16 (local.get $out) (i32.const 0x3030))
        (i32.store8 offset=2 (local.get $out)
          (i32.add (i32.const 0x30) (i32.shr_u (local.get $byte) (i32.const 4))))
        (local.set $byte (i32.and (local.get $byte) (i32.const 15)))
        (i32.store8 offset=3 (local.get $out)
          (i32.add (local.get $byte)
            (select (i32.const 0x30) (i32.const 0x57) (i32.lt_u (local.get $byte) (i32.const 10)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next)))
    ;; Without what was copied from behind the end.
    (i32.sub (local.get $out) (i32.sub (local.get $from) (local.get $to)))))
