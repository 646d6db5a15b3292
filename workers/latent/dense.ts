/** Dense matrices row after row, as the fitting of a basis needs them. */

/** Below this share of the largest one a direction counts as none. */
const NEGLIGIBLE = 1e-10;
const MAX_SWEEPS = 20;
const CONVERGED = 1e-20;

/** The products of each two columns: columns × columns, symmetric. */
export function gram(matrix: Float32Array, columns: number): Float64Array {
  const out = new Float64Array(columns * columns);
  for (let row = 0; row < matrix.length; row += columns) {
    for (let i = 0; i < columns; i++) {
      const value = matrix[row + i]!;
      if (value === 0) continue;
      for (let j = i, at = i * columns + i; j < columns; j++, at++) out[at]! += value * matrix[row + j]!;
    }
  }
  for (let i = 0; i < columns; i++) for (let j = 0; j < i; j++) out[i * columns + j] = out[j * columns + i]!;
  return out;
}

/**
 * Makes the columns orthonormal in place, by Cholesky factors of their products. A column that the others span becomes
 * zero. Twice, for the first time leaves the rounding errors of nearly dependent columns.
 */
export function orthonormalise(matrix: Float32Array, columns: number): void {
  for (let time = 0; time < 2; time++) {
    const factor = cholesky(gram(matrix, columns), columns);
    for (let row = 0; row < matrix.length; row += columns) {
      for (let j = 0; j < columns; j++) {
        const pivot = factor[j * columns + j]!;
        let value = matrix[row + j]!;
        for (let i = 0; i < j; i++) value -= matrix[row + i]! * factor[j * columns + i]!;
        matrix[row + j] = pivot === 0 ? 0 : value / pivot;
      }
    }
  }
}

/** The lower factor; zeros in the columns of directions that are none. */
function cholesky(products: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  let largest = 0;
  for (let i = 0; i < size; i++) largest = Math.max(largest, products[i * size + i]!);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = products[i * size + j]!;
      for (let k = 0; k < j; k++) rest -= factor[i * size + k]! * factor[j * size + k]!;
      const pivot = factor[j * size + j]!;
      if (i === j) factor[i * size + i] = rest > largest * NEGLIGIBLE ? Math.sqrt(rest) : 0;
      else factor[i * size + j] = pivot === 0 ? 0 : rest / pivot;
    }
  }
  return factor;
}

export interface Eigen {
  /** Descending. */
  readonly values: Float64Array;
  /** Column c belongs to the c-th value. */
  readonly vectors: Float64Array;
}

/** Of a symmetric matrix, by Jacobi's rotations. */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const rest = Float64Array.from(matrix);
  const turned = new Float64Array(size * size);
  for (let i = 0; i < size; i++) turned[i * size + i] = 1;
  for (let sweep = 0; sweep < MAX_SWEEPS && offDiagonal(rest, size) > CONVERGED; sweep++) {
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(rest, turned, size, p, q);
  }
  const order = Array.from({ length: size }, (_, at) => at).sort(
    (a, b) => rest[b * size + b]! - rest[a * size + a]! || a - b,
  );
  const vectors = new Float64Array(size * size);
  for (let row = 0; row < size; row++)
    order.forEach((from, to) => (vectors[row * size + to] = turned[row * size + from]!));
  return { values: Float64Array.from(order, (at) => rest[at * size + at]!), vectors };
}

/** How much of the matrix stands beside its diagonal, as a share of its square. */
function offDiagonal(matrix: Float64Array, size: number): number {
  let beside = 0;
  let all = 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const square = matrix[i * size + j]! ** 2;
      all += square;
      if (i !== j) beside += square;
    }
  }
  return all === 0 ? 0 : beside / all;
}

function rotate(rest: Float64Array, turned: Float64Array, size: number, p: number, q: number): void {
  const both = rest[p * size + q]!;
  if (both === 0) return;
  const ratio = (rest[q * size + q]! - rest[p * size + p]!) / (2 * both);
  const tangent = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  turn(rest, p, q, size, size, cosine, sine);
  turn(rest, p * size, q * size, 1, size, cosine, sine);
  turn(turned, p, q, size, size, cosine, sine);
}

/** Turns two rows (step 1) or columns (step size) against each other. */
function turn(
  matrix: Float64Array,
  first: number,
  second: number,
  step: number,
  count: number,
  cosine: number,
  sine: number,
): void {
  for (let at = 0; at < count; at++, first += step, second += step) {
    const a = matrix[first]!;
    const b = matrix[second]!;
    matrix[first] = cosine * a - sine * b;
    matrix[second] = sine * a + cosine * b;
  }
}
