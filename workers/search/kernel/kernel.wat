;; Distances and products of packed vectors, sixteen bytes at a time. `npm run kernel` makes code.ts of it. Every row is
;; padded with zeros to a multiple of sixteen bytes.
(module
  (import "host" "memory" (memory 1))

  ;; For each row of bits: how many differ from the query's, as 16 bits. $bytes is what one row takes.
  (func (export "distances")
    (param $bits i32) (param $size i32) (param $bytes i32) (param $query i32) (param $out i32)
    (local $end i32) (local $at i32) (local $sum v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $size) (i32.const 1))))
    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i64x2 0 0))
        (local.set $at (i32.const 0))
        (loop $steps
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (i8x16.popcnt
              (v128.xor
                (v128.load (i32.add (local.get $bits) (local.get $at)))
                (v128.load (i32.add (local.get $query) (local.get $at)))))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $steps (i32.lt_u (local.get $at) (local.get $bytes))))
        (i32.store16 (local.get $out) (call $lanes (local.get $sum)))
        (local.set $bits (i32.add (local.get $bits) (local.get $bytes)))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (br $rows))))

  ;; For each row that is named at $rows (32 bits each): its product with the query, as 32 bits.
  (func (export "products")
    (param $values i32) (param $bytes i32) (param $query i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $end i32) (local $row i32) (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
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
