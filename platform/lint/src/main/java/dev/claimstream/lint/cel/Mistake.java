package dev.claimstream.lint.cel;

import java.util.List;

/**
 * Something in an expression that cannot work.
 *
 * @param start index in the expression where it begins
 * @param right the form to write
 * @param changes that put it right, none where that is for the author to say; they do not overlap
 */
public record Mistake(Sort sort, int start, String message, String right, List<Change> changes) {
    public Mistake {
        changes = List.copyOf(changes);
    }

    /** What sort of mistake it is. */
    public enum Sort {
        /** A domain with a slash in it, which nobody publishes. */
        UNKNOWN_DOMAIN,
        /** A name that is no C identifier. */
        IMPOSSIBLE_NAME,
        /** A field of an attribute. */
        TYPED_ACCESSOR,
        /** A quantity that is looked up in the attributes. */
        QUANTITY_LOOKUP,
        /** An operator that quantities and versions have not. */
        OPERATOR,
        /** A comparison with a driver that cannot exist. */
        DRIVER_NAME
    }

    /** Another text for a part of the expression. */
    public record Change(int start, int end, String text) {}
}
