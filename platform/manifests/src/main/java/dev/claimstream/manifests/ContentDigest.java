package dev.claimstream.manifests;

import dev.claimstream.dra.Quantity;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.Set;

/**
 * Computes digests of objects, which are equal for equal fields in any order and notation.
 *
 * <p>Equal quantities are equal in any unit: {@code 1} and {@code "1"}, {@code 1Gi} and {@code 1024Mi}.
 */
final class ContentDigest {
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    /** Fields whose fields are quantities. A list with one of these names has other contents. */
    private static final Set<String> OF_QUANTITIES =
            Set.of("requests", "limits", "capacity", "allocatable", "counters", "overhead");

    /** The parameters of a driver: only the driver knows the types of their fields. */
    private static final String OPAQUE = "parameters";

    /** What the scalars below a field mean. */
    private enum Contents {
        PLAIN,
        QUANTITIES,
        OPAQUE
    }

    private ContentDigest() {}

    /** Returns the digest of an object without its namespace, which may be written or left out. */
    static long of(DocumentNode.DocumentMapping object) {
        long sum = 0;
        for (DocumentNode.DocumentField entry : object.entries()) {
            boolean isMetadata = entry.name().equals("metadata");
            sum += isMetadata && entry.value() instanceof DocumentNode.DocumentMapping metadata
                    ? entry("metadata", metadata(metadata))
                    : entry(entry.name(), digest(entry, Contents.PLAIN));
        }
        return sum;
    }

    static long ofValue(DocumentNode value) {
        return digest(value, Contents.PLAIN);
    }

    private static long metadata(DocumentNode.DocumentMapping metadata) {
        long sum = 0;
        for (DocumentNode.DocumentField entry : metadata.entries()) {
            sum += entry.name().equals("namespace") ? 0 : entry(entry.name(), digest(entry, Contents.PLAIN));
        }
        return mixed(sum);
    }

    private static long digest(DocumentNode.DocumentField field, Contents outside) {
        boolean isMapping = field.value() instanceof DocumentNode.DocumentMapping;
        if (outside == Contents.PLAIN && field.name().equals(OPAQUE)) {
            return digest(field.value(), Contents.OPAQUE);
        }
        boolean isOfQuantities = isMapping && OF_QUANTITIES.contains(field.name());
        return digest(field.value(), outside == Contents.PLAIN && isOfQuantities ? Contents.QUANTITIES : outside);
    }

    private static long digest(DocumentNode node, Contents contents) {
        return switch (node) {
            case DocumentNode.DocumentScalar scalar ->
                contents == Contents.QUANTITIES ? quantity(scalar) : scalar(scalar);
            case DocumentNode.DocumentSequence list -> {
                long digest = list.items().size() + 1L;
                for (DocumentNode item : list.items()) {
                    digest = mixed(digest * 31 + digest(item, contents));
                }
                yield digest;
            }
            case DocumentNode.DocumentMapping mapping -> {
                long sum = 1;
                for (DocumentNode.DocumentField entry : mapping.entries()) {
                    sum += entry(entry.name(), digest(entry, contents));
                }
                yield mixed(sum);
            }
        };
    }

    private static long scalar(DocumentNode.DocumentScalar scalar) {
        return scalar.type() == ScalarType.NULL
                ? 0
                : mixed(text(scalar.text()) + text(scalar.type().displayName()));
    }

    private static long quantity(DocumentNode.DocumentScalar scalar) {
        boolean isWritten = scalar.type() != ScalarType.NULL && scalar.type() != ScalarType.BOOL;
        try {
            return isWritten ? text(Quantity.parse(scalar.text()).amount().toPlainString()) : scalar(scalar);
        } catch (IllegalArgumentException _) {
            return scalar(scalar);
        }
    }

    /** Returns the digest of a field; 0 for null, which means an absent field. */
    private static long entry(String name, long value) {
        return value == 0 ? 0 : mixed(text(name) * 31 + value);
    }

    private static long text(String text) {
        long digest = text.length();
        for (int i = 0; i < text.length(); i++) {
            digest = (digest * 1_099_511_628_211L) ^ text.charAt(i);
        }
        return mixed(digest);
    }

    private static long mixed(long value) {
        long product = (value ^ (value >>> 32)) * PRIME;
        return product ^ (product >>> 29);
    }
}
