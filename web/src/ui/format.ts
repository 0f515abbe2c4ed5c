// Numbers as people read them.

const DIGITS = 4;

/** Four digits, or three with a power of ten if the number is large or small: 12.35, 1.23e-7. */
export function formatNumber(value: number | null | undefined, digits = DIGITS): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    Number.isInteger(value) && size < 1e6
      ? String(size)
      : size >= 1e5 || size < 1e-3
        ? size.toExponential(digits - 2).replace("e+", "e")
        : size.toPrecision(digits);
  return value < 0 ? `−${text}` : text;
}

/** Three digits, for tables and labels. */
export const formatShort = (value: number): string => formatNumber(value, 3);

/** A force with three digits and a unit that suits its size: 3.42 kN. */
export function formatForce(force: number): string {
  const size = Math.abs(force);
  const [factor, unit] = size >= 1e6 ? [1e-6, "MN"] : size >= 1e3 ? [1e-3, "kN"] : [1, "N"];
  return `${formatShort(force * factor)} ${unit}`;
}

export function formatValue(value: number | null | undefined, unit: string): string {
  return unit ? `${formatNumber(value)} ${unit}` : formatNumber(value);
}

export const formatTime = (t: number): string => `${t.toFixed(3)} s`;

export const toDegrees = (angle: number): number => (angle * 180) / Math.PI;
export const toRadians = (angle: number): number => (angle * Math.PI) / 180;
