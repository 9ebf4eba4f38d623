package dev.claimstream.lint.cel;

import java.util.List;

/**
 * A part of an expression that cannot work.
 *
 * @param start index in the expression
 * @param remedy the advice: what to write
 * @param changes the edits that correct it, without overlaps; empty if only the author can decide
 */
public record ExpressionMistake(
        MistakeKind sort, int start, String message, String remedy, List<ExpressionEdit> changes) {
    public ExpressionMistake {
        changes = List.copyOf(changes);
    }

    public enum MistakeKind {
        /** A domain with a slash, which no driver can publish. */
        UNKNOWN_DOMAIN,
        /** A name that is not a C identifier. */
        IMPOSSIBLE_NAME,
        /** A field access on the value of an attribute. */
        TYPED_ACCESSOR,
        /** A quantity that is looked up in the attributes. */
        QUANTITY_LOOKUP,
        /** An operator that quantities and versions do not support. */
        OPERATOR,
        /** A comparison with an impossible driver name. */
        DRIVER_NAME
    }

    /** A replacement of a part of the expression. */
    public record ExpressionEdit(int start, int end, String text) {}
}
