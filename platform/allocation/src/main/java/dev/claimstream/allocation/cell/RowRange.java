package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;

/**
 * The rows whose keys start with a prefix; all of them have one type.
 *
 * <p>Prefixes are part of the changelog format. Only rows of one type share a prefix.
 */
record RowRange<R extends Row>(Class<R> type, String prefix) {
    /** The rows of this range that have a further part in common. */
    RowRange<R> within(String part) {
        return new RowRange<>(type, prefix + part + "/");
    }

    /** The rows of this range that belong to an item. */
    RowRange<R> within(ItemId item) {
        return new RowRange<>(
                type,
                prefix + item.kind() + "/" + item.key().namespace() + "/"
                        + item.key().name() + "/");
    }

    /** The key of the row with this last part. */
    RowKey<R> key(String part) {
        return new RowKey<>(type, prefix + part);
    }

    /** The key of the only row for an object. */
    RowKey<R> key(ObjectKey object) {
        return new RowKey<>(type, prefix + object.namespace() + "/" + object.name());
    }

    /** The key of the only row for an item. */
    RowKey<R> key(ItemId item) {
        return new RowKey<>(
                type,
                prefix + item.kind() + "/" + item.key().namespace() + "/"
                        + item.key().name());
    }
}
