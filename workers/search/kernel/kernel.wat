;; Distances and products of packed vectors, sixteen bytes at a time. `npm run kernel` makes code.ts of it. Every row is
;; padded with zeros to a multiple of sixteen bytes.
(module
  (import "host" "memory" (memory 1 65536 shared))

  ;; For each row of bits: what those weigh that differ from the query's, as 16 bits; and at $counts, for each such weight, one
  ;; more for each row that has it. $bytes is what one row takes. Behind the query's bits stand those that weigh one more, and
  ;; behind these those that weigh two more. Sixteen bytes of all rows come before the next sixteen of any: what the query has
  ;; there stays in registers, which makes it four times as fast.
  (func (export "distances")
    (param $bits i32) (param $size i32) (param $bytes i32) (param $query i32) (param $out i32) (param $counts i32)
    (local $row i32) (local $at i32) (local $place i32) (local $column i32) (local $count i32)
    (local $differ i64) (local $sum i64)
    (local $query0 i64) (local $query8 i64) (local $one0 i64) (local $one8 i64) (local $two0 i64) (local $two8 i64)
    (loop $columns
      (local.set $place (i32.add (local.get $query) (local.get $column)))
      (local.set $query0 (i64.load (local.get $place)))
      (local.set $query8 (i64.load offset=8 (local.get $place)))
      (local.set $place (i32.add (local.get $place) (local.get $bytes)))
      (local.set $one0 (i64.load (local.get $place)))
      (local.set $one8 (i64.load offset=8 (local.get $place)))
      (local.set $place (i32.add (local.get $place) (local.get $bytes)))
      (local.set $two0 (i64.load (local.get $place)))
      (local.set $two8 (i64.load offset=8 (local.get $place)))
      (local.set $at (i32.add (local.get $bits) (local.get $column)))
      (local.set $place (local.get $out))
      (local.set $row (i32.const 0))
      (block $done
        (loop $rows
          (br_if $done (i32.ge_u (local.get $row) (local.get $size)))
          (local.set $sum (if (result i64) (local.get $column)
            (then (i64.load16_u (local.get $place)))
            (else (i64.const 0))))
          (local.set $differ (i64.xor (i64.load offset=0 (local.get $at)) (local.get $query0)))
          (local.set $sum (i64.add (local.get $sum) (i64.add
            (i64.popcnt (i64.and (local.get $differ) (local.get $one0)))
            (i64.shl (i64.popcnt (i64.and (local.get $differ) (local.get $two0))) (i64.const 1)))))
          (local.set $differ (i64.xor (i64.load offset=8 (local.get $at)) (local.get $query8)))
          (local.set $sum (i64.add (local.get $sum) (i64.add
            (i64.popcnt (i64.and (local.get $differ) (local.get $one8)))
            (i64.shl (i64.popcnt (i64.and (local.get $differ) (local.get $two8))) (i64.const 1)))))
          (i64.store16 (local.get $place) (local.get $sum))
          (if (i32.eq (i32.add (local.get $column) (i32.const 16)) (local.get $bytes))
            (then
              (local.set $count (i32.add (local.get $counts) (i32.shl (i32.wrap_i64 (local.get $sum)) (i32.const 2))))
              (i32.store (local.get $count) (i32.add (i32.load (local.get $count)) (i32.const 1)))))
          (local.set $at (i32.add (local.get $at) (local.get $bytes)))
          (local.set $place (i32.add (local.get $place) (i32.const 2)))
          (local.set $row (i32.add (local.get $row) (i32.const 1)))
          (br $rows)))
      (local.set $column (i32.add (local.get $column) (i32.const 16)))
      (br_if $columns (i32.lt_u (local.get $column) (local.get $bytes)))))

  ;; The rows whose distance is below $bound, in their order, as 32 bits each; answers how many.
  (func (export "choose") (param $distances i32) (param $size i32) (param $bound i32) (param $out i32) (result i32)
    (local $row i32) (local $near i32) (local $first i32)
    (local.set $first (local.get $out))
    (block $done
      (loop $eights
        (br_if $done (i32.ge_u (local.get $row) (local.get $size)))
        (local.set $near (i16x8.bitmask (i16x8.lt_u
          (v128.load (i32.add (local.get $distances) (i32.shl (local.get $row) (i32.const 1))))
          (i16x8.splat (local.get $bound)))))
        ;; Behind the last row stands anything.
        (if (i32.lt_u (i32.sub (local.get $size) (local.get $row)) (i32.const 8))
          (then (local.set $near (i32.and (local.get $near) (i32.sub
            (i32.shl (i32.const 1) (i32.sub (local.get $size) (local.get $row)))
            (i32.const 1))))))
        (block $none
          (loop $each
            (br_if $none (i32.eqz (local.get $near)))
            (i32.store (local.get $out) (i32.add (local.get $row) (i32.ctz (local.get $near))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $near (i32.and (local.get $near) (i32.sub (local.get $near) (i32.const 1))))
            (br $each)))
        (local.set $row (i32.add (local.get $row) (i32.const 8)))
        (br $eights)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $first)) (i32.const 2)))

  ;; For each row that is named at $rows (32 bits each): its product with the query, as 32 bits. The rows lie far apart:
  ;; 32 are touched before the first of them is needed, so that the processor waits for all at once, not for each. That takes
  ;; a third of the time.
  (func (export "products")
    (param $values i32) (param $bytes i32) (param $query i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $end i32) (local $row i32) (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (local $ahead i32) (local $next i32) (local $touched i32)
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $ahead (local.get $rows))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (if (i32.eq (local.get $rows) (local.get $ahead))
          (then
            (local.set $next (i32.add (local.get $rows) (i32.const 128)))
            (if (i32.gt_u (local.get $next) (local.get $end)) (then (local.set $next (local.get $end))))
            (loop $touch
              (local.set $row (i32.add (local.get $values)
                (i32.mul (i32.load (local.get $ahead)) (local.get $bytes))))
              (local.set $at (i32.const 0))
              (loop $lines
                (local.set $touched (i32.xor (local.get $touched)
                  (i32.load8_u (i32.add (local.get $row) (local.get $at)))))
                (local.set $at (i32.add (local.get $at) (i32.const 64)))
                (br_if $lines (i32.lt_u (local.get $at) (local.get $bytes))))
              (local.set $ahead (i32.add (local.get $ahead) (i32.const 4)))
              (br_if $touch (i32.lt_u (local.get $ahead) (local.get $next))))))
        (local.set $row (i32.add (local.get $values)
          (i32.mul (i32.load (local.get $rows)) (local.get $bytes))))
        (local.set $sum (v128.const i64x2 0 0))
        (local.set $at (i32.const 0))
        (loop $steps
          (local.set $a (v128.load (i32.add (local.get $row) (local.get $at))))
          (local.set $b (v128.load (i32.add (local.get $query) (local.get $at))))
          (local.set $sum (i32x4.add (local.get $sum) (i32x4.add
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $a)) (i16x8.extend_low_i8x16_s (local.get $b)))
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $a)) (i16x8.extend_high_i8x16_s (local.get $b))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $steps (i32.lt_u (local.get $at) (local.get $bytes))))
        (i32.store (local.get $out) (call $lanes (local.get $sum)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $each))))

  ;; The four sums in one.
  (func $lanes (param $sum v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
      (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum))))))
