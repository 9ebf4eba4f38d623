package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.ScalarType;

/** Computes digests of objects, which are equal for equal fields in any order and notation. */
final class ContentDigest {
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private ContentDigest() {}

    /** Returns the digest of an object without its namespace, which may be written or left out. */
    static long of(DocumentNode.Mapping object) {
        long sum = 0;
        for (DocumentNode.Entry entry : object.entries()) {
            boolean isMetadata = entry.name().equals("metadata");
            sum += isMetadata && entry.value() instanceof DocumentNode.Mapping metadata
                    ? entry("metadata", metadata(metadata))
                    : entry(entry.name(), digest(entry.value()));
        }
        return sum;
    }

    /** Returns the digest of a value. */
    static long ofValue(DocumentNode value) {
        return digest(value);
    }

    private static long metadata(DocumentNode.Mapping metadata) {
        long sum = 0;
        for (DocumentNode.Entry entry : metadata.entries()) {
            sum += entry.name().equals("namespace") ? 0 : entry(entry.name(), digest(entry.value()));
        }
        return mixed(sum);
    }

    private static long digest(DocumentNode node) {
        return switch (node) {
            case DocumentNode.Scalar scalar ->
                scalar.type() == ScalarType.NULL
                        ? 0
                        : mixed(text(scalar.text()) + text(scalar.type().displayName()));
            case DocumentNode.Sequence list -> {
                long digest = list.items().size() + 1L;
                for (DocumentNode item : list.items()) {
                    digest = mixed(digest * 31 + digest(item));
                }
                yield digest;
            }
            case DocumentNode.Mapping mapping -> {
                long sum = 1;
                for (DocumentNode.Entry entry : mapping.entries()) {
                    sum += entry(entry.name(), digest(entry.value()));
                }
                yield mixed(sum);
            }
        };
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
