package dev.claimstream.selectors.functions;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** {@code text.format([...])} with the clauses of CEL's string extension, version 2, in the locale en-US. */
public final class StringFormat {
    private static final int PRECISION = 6;
    private static final String SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

    /** Formats the arguments of the clauses. */
    @FunctionalInterface
    public interface ArgumentWriter {
        /**
         * Formats the argument at an index for a clause.
         *
         * @param precision of the clause, if it has one
         */
        String write(int index, char clause, OptionalInt precision);
    }

    private StringFormat() {}

    static String format(String form, List<?> arguments) {
        return walk(
                form, arguments.size(), (index, clause, precision) -> write(arguments.get(index), clause, precision));
    }

    /**
     * Parses a format string and inserts its arguments.
     *
     * @throws IllegalArgumentException if the format is malformed or an argument is missing, in upstream's words
     */
    public static String walk(String form, int count, ArgumentWriter arguments) {
        StringBuilder out = new StringBuilder(form.length());
        int argument = 0;
        int at = 0;
        while (at < form.length()) {
            if (form.charAt(at) != '%') {
                out.append(form.charAt(at++));
            } else if (form.startsWith("%%", at)) {
                out.append('%');
                at += 2;
            } else {
                if (argument >= count) {
                    throw new CallException("index %d out of range".formatted(argument));
                }
                FormatClause clause = FormatClause.at(form, at + 1);
                out.append(arguments.write(argument++, clause.letter, clause.precision));
                at = clause.end;
                ResultSizeLimit.check("format", out.length());
            }
        }
        return out.toString();
    }

    private record FormatClause(char letter, OptionalInt precision, int end) {
        static FormatClause at(String form, int start) {
            if (start >= form.length()) {
                throw new CallException("unexpected end of string");
            }
            int at = start;
            OptionalInt precision = OptionalInt.empty();
            if (form.charAt(at) == '.') {
                int digits = ++at;
                while (at < form.length() && form.charAt(at) >= '0' && form.charAt(at) <= '9') {
                    at++;
                }
                if (at >= form.length()) {
                    throw badPrecision("could not find end of precision specifier");
                }
                precision = OptionalInt.of(precision(form.substring(digits, at)));
            }
            char letter = form.charAt(at);
            if ("sdfebxXo".indexOf(letter) < 0) {
                throw new CallException(
                        "could not parse formatting clause: unrecognized formatting clause \"%c\"".formatted(letter));
            }
            return new FormatClause(letter, precision, at + 1);
        }

        private static int precision(String digits) {
            try {
                return ResultSizeLimit.check("format", Long.parseLong(digits));
            } catch (NumberFormatException e) {
                throw badPrecision(
                        "error while converting precision to integer: strconv.Atoi: parsing \"%s\": %s"
                                .formatted(digits, digits.isEmpty() ? "invalid syntax" : "value out of range"),
                        e);
            }
        }

        private static IllegalArgumentException badPrecision(String what) {
            return new CallException("could not parse formatting clause: error while parsing precision: " + what);
        }

        private static IllegalArgumentException badPrecision(String what, Exception cause) {
            return new CallException(
                    "could not parse formatting clause: error while parsing precision: " + what, cause);
        }
    }

    private static String write(Object value, char clause, OptionalInt precision) {
        return switch (clause) {
            case 's' -> ValueFormatter.clause(value);
            case 'd' -> decimal(value);
            case 'f' -> fixed(value, precision.orElse(PRECISION));
            case 'e' -> scientific(value, precision.orElse(PRECISION));
            case 'b' -> binary(value);
            case 'o' -> octal(value);
            default -> hexadecimal(value, clause == 'X');
        };
    }

    /** Returns the error of a clause that does not accept a type. It is the same at compile time and at run time. */
    public static IllegalArgumentException typeError(char clause, String type) {
        String rule = switch (clause) {
            case 's' ->
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and"
                        + " timestamps";
            case 'd' -> "decimal clause can only be used on integers";
            case 'f' -> "fixed-point clause can only be used on doubles";
            case 'e' -> "scientific clause can only be used on doubles";
            case 'b' -> "only integers and bools can be formatted as binary";
            case 'o' -> "octal clause can only be used on integers";
            default -> "only integers, byte buffers, and strings can be formatted as hex";
        };
        return new CallException("error during formatting: %s, was given %s".formatted(rule, type));
    }

    private static String decimal(Object value) {
        return switch (value) {
            case Long number -> number.toString();
            case UnsignedLong number -> number.toString();
            default -> throw typeError('d', ValueTypes.typeName(value));
        };
    }

    private static String binary(Object value) {
        return switch (value) {
            case Long number -> signed(number, 2);
            case UnsignedLong number -> number.toString(2);
            case Boolean bit -> bit ? "1" : "0";
            default -> throw typeError('b', ValueTypes.typeName(value));
        };
    }

    private static String octal(Object value) {
        return switch (value) {
            case Long number -> signed(number, 8);
            case UnsignedLong number -> number.toString(8);
            default -> throw typeError('o', ValueTypes.typeName(value));
        };
    }

    private static String hexadecimal(Object value, boolean upper) {
        String text = switch (value) {
            case Long number -> signed(number, 16);
            case UnsignedLong number -> number.toString(16);
            case String s -> HexFormat.of().formatHex(s.getBytes(StandardCharsets.UTF_8));
            case CelByteString bytes -> HexFormat.of().formatHex(bytes.toByteArray());
            default -> throw typeError('x', ValueTypes.typeName(value));
        };
        return upper ? text.toUpperCase(Locale.ROOT) : text;
    }

    private static String signed(long value, int radix) {
        return Long.toString(value, radix);
    }

    private static double number(Object value, char clause) {
        return switch (value) {
            case Double number -> number;
            case String text when text.equals("NaN") -> Double.NaN;
            case String text when text.equals("Infinity") -> Double.POSITIVE_INFINITY;
            case String text when text.equals("-Infinity") -> Double.NEGATIVE_INFINITY;
            default -> throw typeError(clause, ValueTypes.typeName(value));
        };
    }

    private static String fixed(Object value, int precision) {
        double number = number(value, 'f');
        return Double.isFinite(number)
                ? (number < 0 ? "-" : "")
                        + grouped(new BigDecimal(Math.abs(number)).setScale(precision, RoundingMode.HALF_EVEN))
                : special(number);
    }

    private static String grouped(BigDecimal value) {
        String plain = value.toPlainString();
        int point = plain.indexOf('.') < 0 ? plain.length() : plain.indexOf('.');
        StringBuilder out = new StringBuilder(plain);
        for (int i = point - 3; i > 0; i -= 3) {
            out.insert(i, ',');
        }
        return out.toString();
    }

    /** Formats in scientific notation. Upstream uses the precision as a width and always writes six digits. */
    private static String scientific(Object value, int width) {
        double number = number(value, 'e');
        String text = Double.isFinite(number) ? exponential(new BigDecimal(number)) : special(number);
        int missing = width - text.codePointCount(0, text.length());
        return missing > 0 ? " ".repeat(missing) + text : text;
    }

    private static String exponential(BigDecimal value) {
        BigDecimal rounded = value.round(new MathContext(PRECISION + 1, RoundingMode.HALF_EVEN));
        int exponent = rounded.signum() == 0 ? 0 : rounded.precision() - rounded.scale() - 1;
        BigDecimal mantissa = rounded.signum() == 0 ? rounded : rounded.scaleByPowerOfTen(-exponent);
        return mantissa.setScale(PRECISION, RoundingMode.HALF_EVEN).toPlainString() + "×10" + superscript(exponent);
    }

    private static String superscript(int exponent) {
        StringBuilder out = new StringBuilder(exponent < 0 ? "⁻" : "");
        String digits = (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
        digits.chars().forEach(c -> out.append(SUPERSCRIPTS.charAt(c - '0')));
        return out.toString();
    }

    private static String special(double number) {
        return Double.isNaN(number) ? "NaN" : number > 0 ? "∞" : "-∞";
    }
}
