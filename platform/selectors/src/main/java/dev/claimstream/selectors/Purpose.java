package dev.claimstream.selectors;

import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.ListType;
import dev.cel.common.types.NullableType;
import dev.cel.common.types.SimpleType;
import dev.claimstream.selectors.values.KubernetesTypes;
import java.util.Set;

/** What an expression is for, which decides what it may evaluate to. */
enum Purpose {
    /** Whether a device fits: a bool, or the value of an attribute, which may turn out to be one. */
    SELECTOR {
        @Override
        void check(CelType result, boolean hasLists) throws InvalidExpression {
            if (!result.equals(SimpleType.BOOL)
                    && !result.equals(NULLABLE_BOOL)
                    && !result.equals(attribute(hasLists))) {
                throw new InvalidExpression("must evaluate to bool or the unknown type, not " + text(result));
            }
        }
    },

    /** An attribute of a device that a request computes: of a type that an attribute may have, or not known before it is evaluated. */
    DERIVED_ATTRIBUTE {
        @Override
        void check(CelType result, boolean hasLists) throws InvalidExpression {
            if (!PLAIN.contains(result) && !(hasLists && isListOfPlain(result))) {
                throw new InvalidExpression(
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
     * Finds whether an expression of this type serves the purpose.
     *
     * @throws InvalidExpression in upstream's words where it does not
     */
    abstract void check(CelType result, boolean hasLists) throws InvalidExpression;

    /** The type of a published attribute. */
    static CelType attribute(boolean hasLists) {
        return hasLists ? SimpleType.DYN : SimpleType.ANY;
    }

    private static boolean isListOfPlain(CelType type) {
        return type instanceof ListType list && PLAIN.contains(list.elemType());
    }

    /** As cel-go names types. */
    private static String text(CelType type) {
        return CelTypes.format(type)
                .replaceAll("\\bany\\b", "google.protobuf.Any")
                .replaceAll("\\bnull\\b", "null_type");
    }
}
