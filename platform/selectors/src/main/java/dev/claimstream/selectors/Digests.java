package dev.claimstream.selectors;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ReadKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Computes digests of expressions and of the values that they read. They are the same in every process. */
final class Digests {
    private static final int FINGERPRINT_BYTES = 16;

    private Digests() {}

    /** Returns 32 hexadecimal digits for an expression, its purpose and its environment. */
    static String fingerprint(String expression, ExpressionPurpose purpose, Features features) {
        byte[] digest =
                sha256("%s %s %s".formatted(purpose, features, expression).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
    }

    /** Returns the key of the values that {@link ReadPath#of} returned. The hash is fast and not cryptographic: drivers are trusted. */
    static ReadKey readKey(List<Object> values) {
        Hasher hasher = Hashing.murmur3_128(0).newHasher();
        write(values, hasher);
        ByteBuffer digest = ByteBuffer.wrap(hasher.hash().asBytes());
        return new ReadKey(digest.getLong(), digest.getLong());
    }

    /** Writes each value with its type and length, so that different values have different bytes. */
    private static void write(Object value, Hasher out) {
        switch (value) {
            case String text -> text('s', text, out);
            case Boolean flag -> text('b', flag.toString(), out);
            case Long number -> text('i', number.toString(), out);
            case Quantity.Representation(var digits, var isSmall) -> text(isSmall ? 'q' : 'Q', digits.toString(), out);
            case AttributeValue attribute -> write(attribute, out);
            case List<?> list -> {
                text('l', Integer.toString(list.size()), out);
                for (Object each : list) {
                    write(each, out);
                }
            }
            case Map<?, ?> map -> {
                text('m', Integer.toString(map.size()), out);
                for (Map.Entry<?, ?> each : map.entrySet()) {
                    write(each.getKey(), out);
                    write(each.getValue(), out);
                }
            }
            default -> throw new IllegalStateException("no digest for a value of " + value.getClass());
        }
    }

    private static void write(AttributeValue attribute, Hasher out) {
        switch (attribute) {
            case AttributeValue.IntValue(var value) -> text('I', Long.toString(value), out);
            case AttributeValue.BoolValue(var value) -> text('B', Boolean.toString(value), out);
            case AttributeValue.StringValue(var value) -> text('S', value, out);
            case AttributeValue.VersionValue(var value) -> text('V', value, out);
            case AttributeValue.IntList(var values) -> list('J', values, out);
            case AttributeValue.BoolList(var values) -> list('C', values, out);
            case AttributeValue.StringList(var values) -> list('T', values, out);
            case AttributeValue.VersionList(var values) -> list('W', values, out);
            case AttributeValue.UnknownValue() -> text('U', "", out);
        }
    }

    private static void list(char type, List<?> values, Hasher out) {
        text(type, Integer.toString(values.size()), out);
        write(values, out);
    }

    private static void text(char type, String text, Hasher out) {
        out.putChar(type).putInt(text.length()).putUnencodedChars(text);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
