package dev.claimstream.selectors;

import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.ListType;
import dev.cel.common.types.NullableType;
import dev.cel.common.types.SimpleType;
import dev.claimstream.selectors.values.KubernetesTypes;
import java.util.Set;

/** The use of an expression; it determines the permitted result type. */
enum ExpressionPurpose {
    /** Selects devices: a bool, or the value of an attribute, which can be a bool. */
    SELECTOR {
        @Override
        void check(CelType result, boolean hasLists) throws InvalidExpressionException {
            if (!result.equals(SimpleType.BOOL)
                    && !result.equals(NULLABLE_BOOL)
                    && !result.equals(attribute(hasLists))) {
                throw new InvalidExpressionException("must evaluate to bool or the unknown type, not " + text(result));
            }
        }
    },

    /** Computes an attribute of a device for a request: a type that an attribute can have, or a dynamic type. */
    DERIVED_ATTRIBUTE {
        @Override
        void check(CelType result, boolean hasLists) throws InvalidExpressionException {
            if (!PLAIN.contains(result) && !(hasLists && isListOfPlain(result))) {
                throw new InvalidExpressionException(
                        "must evaluate to a primitive scalar (string, integer, boolean, semver)%s, not %s"
                                .formatted(hasLists ? " or a list of these scalars" : "", text(result)));
            }
        }
    };

    private static final CelType NULLABLE_BOOL = NullableType.create(SimpleType.BOOL);

    private static final Set<CelType> PLAIN = Set.of(
            SimpleType.BOOL,
            SimpleType.INT,
            SimpleType.STRING,
            SimpleType.ANY,
            SimpleType.DYN,
            KubernetesTypes.VERSION);

    /**
     * Checks whether the result type serves the purpose.
     *
     * @throws InvalidExpressionException if not, in upstream's words
     */
    abstract void check(CelType result, boolean hasLists) throws InvalidExpressionException;

    /** Returns the type of a published attribute. */
    static CelType attribute(boolean hasLists) {
        return hasLists ? SimpleType.DYN : SimpleType.ANY;
    }

    private static boolean isListOfPlain(CelType type) {
        return type instanceof ListType list && PLAIN.contains(list.elemType());
    }

    /** Returns the name of a type in cel-go. */
    private static String text(CelType type) {
        return CelTypes.format(type)
                .replaceAll("\\bany\\b", "google.protobuf.Any")
                .replaceAll("\\bnull\\b", "null_type");
    }
}
