package dev.claimstream.selectors.functions;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructTypeReference;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.claimstream.selectors.values.EmptyMessage;
import dev.claimstream.selectors.values.KubernetesValue;
import dev.claimstream.selectors.values.SemverValue;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The types of values at run time: assignability to declared types, and type names. */
public final class ValueTypes {
    private ValueTypes() {}

    static boolean accepts(CelType type, Object value) {
        return switch (type.kind()) {
            case BOOL -> value instanceof Boolean;
            case INT -> value instanceof Long;
            case UINT -> value instanceof UnsignedLong;
            case DOUBLE -> value instanceof Double;
            case STRING -> value instanceof String;
            case BYTES -> value instanceof CelByteString;
            case DURATION -> value instanceof Duration;
            case TIMESTAMP -> value instanceof Instant;
            case LIST -> value instanceof List<?> list && acceptsElements((ListType) type, list);
            case OPAQUE -> acceptsOpaque(type, value);
            default -> true;
        };
    }

    private static boolean acceptsOpaque(CelType type, Object value) {
        return type instanceof OptionalType
                ? value instanceof Optional
                : value instanceof KubernetesValue known
                        && known.celType().name().equals(type.name());
    }

    /** Checks the first element only, as upstream does. */
    private static boolean acceptsElements(ListType type, List<?> list) {
        return list.isEmpty() || accepts(type.elemType(), list.getFirst());
    }

    /** Returns the name of a value's type, as in error messages and {@code string(type(x))}. */
    public static String typeName(Object value) {
        return switch (value) {
            case Boolean b -> "bool";
            case Long l -> "int";
            case UnsignedLong u -> "uint";
            case Double d -> "double";
            case String s -> "string";
            case CelByteString b -> "bytes";
            case NullValue n -> "null_type";
            case Duration d -> "google.protobuf.Duration";
            case Instant i -> "google.protobuf.Timestamp";
            case KubernetesValue k -> k.celType().name();
            case Map<?, ?> m -> "map";
            case Collection<?> c -> "list";
            case Optional<?> o -> "optional_type";
            case TypeType t -> "type";
            case EmptyMessage e -> EmptyMessage.TYPE;
            default -> value.getClass().getSimpleName();
        };
    }

    /** Returns the name of a type that is itself a value. */
    public static String typeValueName(TypeType type) {
        return type.type().kind() == CelKind.DYN ? "type" : type.type().name();
    }

    static boolean hasSize(Object value) {
        return value instanceof String
                || value instanceof CelByteString
                || value instanceof Collection
                || value instanceof Map;
    }

    static TypeType typeOf(Object value) {
        return TypeType.create(
                switch (value) {
                    case Boolean _ -> SimpleType.BOOL;
                    case Long _ -> SimpleType.INT;
                    case UnsignedLong _ -> SimpleType.UINT;
                    case Double _ -> SimpleType.DOUBLE;
                    case String _ -> SimpleType.STRING;
                    case CelByteString _ -> SimpleType.BYTES;
                    case NullValue _ -> SimpleType.NULL_TYPE;
                    case Duration _ -> SimpleType.DURATION;
                    case Instant _ -> SimpleType.TIMESTAMP;
                    case KubernetesValue known -> known.celType();
                    case Map<?, ?> _ -> MapType.create(SimpleType.DYN, SimpleType.DYN);
                    case Collection<?> _ -> ListType.create(SimpleType.DYN);
                    case Optional<?> _ -> OptionalType.create(SimpleType.DYN);
                    case EmptyMessage _ -> StructTypeReference.create(EmptyMessage.TYPE);
                    default -> SimpleType.DYN;
                });
    }

    /** Returns whether Go can use a value as a map key. */
    public static boolean isHashable(Object value) {
        return !(value instanceof CelByteString || value instanceof SemverValue);
    }

    /** Returns the name of a value's Go type, which some of upstream's errors contain. */
    public static String goTypeOf(Object value) {
        return switch (value) {
            case Boolean _ -> "types.Bool";
            case Long _ -> "types.Int";
            case UnsignedLong _ -> "types.Uint";
            case Double _ -> "types.Double";
            case String _ -> "types.String";
            case CelByteString _ -> "types.Bytes";
            case NullValue _ -> "types.Null";
            case Duration _ -> "types.Duration";
            case Instant _ -> "types.Timestamp";
            case KubernetesValue known -> "cel." + known.goName();
            case Map<?, ?> _ -> "*types.baseMap";
            case Collection<?> _ -> "*types.baseList";
            case Optional<?> _ -> "*types.Optional";
            case TypeType _ -> "*types.Type";
            case EmptyMessage _ -> "*types.protoObj";
            default -> "*types.Err";
        };
    }

    static String noSuchOverload(String name, Object[] arguments) {
        return "no such overload: " + name
                + Arrays.stream(arguments).map(ValueTypes::typeName).collect(Collectors.joining(", ", "(", ")"));
    }
}
