package dev.claimstream.selectors.functions;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.UnsignedLong;
import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DoubleValue;
import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import com.google.protobuf.FloatValue;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Int64Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.Value;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.claimstream.selectors.values.EmptyMessage;
import dev.claimstream.selectors.values.KubernetesValue;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The well-known Protobuf messages of every CEL environment.
 *
 * <p>A message is converted to its content when it is created: {@code google.protobuf.Int64Value{value: 1}} is the int 1.
 */
public final class ProtobufMessages {
    /** Protobuf's enum with one value, which is null in JSON and otherwise 0. */
    private static final String NULLS = "google.protobuf.NullValue";

    /** The name of the enum's only value. */
    public static final String NULL = NULLS + ".NULL_VALUE";

    private static final String INT = "integer overflow";
    private static final String UINT = "unsigned integer overflow";
    private static final String VALUE = "*structpb.Value";
    private static final long SAFE_MAX = (1L << 53) - 1;
    private static final BigInteger NANOS = BigInteger.valueOf(1_000_000_000);
    private static final BigInteger NANOS_MIN = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger NANOS_MAX = BigInteger.valueOf(Long.MAX_VALUE);

    private static final ImmutableMap<String, Message> KNOWN = Stream.of(
                    Any.getDefaultInstance(),
                    BoolValue.getDefaultInstance(),
                    BytesValue.getDefaultInstance(),
                    DoubleValue.getDefaultInstance(),
                    Duration.getDefaultInstance(),
                    Empty.getDefaultInstance(),
                    FloatValue.getDefaultInstance(),
                    Int32Value.getDefaultInstance(),
                    Int64Value.getDefaultInstance(),
                    ListValue.getDefaultInstance(),
                    StringValue.getDefaultInstance(),
                    Struct.getDefaultInstance(),
                    Timestamp.getDefaultInstance(),
                    UInt32Value.getDefaultInstance(),
                    UInt64Value.getDefaultInstance(),
                    Value.getDefaultInstance())
            .collect(ImmutableMap.toImmutableMap(
                    each -> each.getDescriptorForType().getFullName(), each -> each));

    private static final ImmutableSet<String> TYPES = ImmutableSet.of(
            EmptyMessage.TYPE,
            Duration.getDescriptor().getFullName(),
            Timestamp.getDescriptor().getFullName());

    private ProtobufMessages() {}

    /** Returns the descriptors for the type checker. */
    public static List<Descriptor> descriptors() {
        return KNOWN.values().stream().map(Message::getDescriptorForType).toList();
    }

    /** Returns whether a name is a type only in a message literal, and not one for comparison with values. */
    public static boolean isNoType(String name) {
        return name.equals(NULLS) || (KNOWN.containsKey(name) && !TYPES.contains(name));
    }

    /**
     * Creates a message and returns its content.
     *
     * @throws IllegalArgumentException if there is no such message or a field cannot have its value, in upstream's words
     */
    public static Object create(String type, Map<String, Object> fields) {
        Message empty = KNOWN.get(type);
        if (empty == null) {
            throw new CallException("unknown type '%s'".formatted(type));
        }
        Message.Builder builder = empty.newBuilderForType();
        fields.forEach((name, value) -> set(builder, field(builder, name), value));
        return valueOf(builder.build());
    }

    private static FieldDescriptor field(Message.Builder builder, String name) {
        FieldDescriptor field = builder.getDescriptorForType().findFieldByName(name);
        if (field == null) {
            throw new CallException("no such field: " + name);
        }
        return field;
    }

    // ---- setting fields

    private static void set(Message.Builder builder, FieldDescriptor field, Object value) {
        try {
            if (builder instanceof Struct.Builder struct) {
                struct.putAllFields(entries(field, value));
            } else if (builder instanceof ListValue.Builder list) {
                list.addAllValues(elements(field, value));
            } else {
                builder.setField(field, fieldValue(field, value));
            }
        } catch (FieldConversionException e) {
            throw new CallException(
                    "field type conversion error for %s value type: %s".formatted(field.getFullName(), e.getMessage()),
                    e);
        }
    }

    private static Map<String, Value> entries(FieldDescriptor field, Object value) throws FieldConversionException {
        if (!(value instanceof Map<?, ?> map)) {
            throw unsupported(field, value);
        }
        return struct(map).getFieldsMap();
    }

    private static List<Value> elements(FieldDescriptor field, Object value) throws FieldConversionException {
        if (!(value instanceof Collection<?> list)) {
            throw unsupported(field, value);
        }
        return list(list).getValuesList();
    }

    private static CallException unsupported(FieldDescriptor field, Object value) {
        String type = switch (value) {
            case Map<?, ?> _ -> "map(dyn, dyn)";
            case Collection<?> _ -> "list(dyn)";
            default -> ValueTypes.typeName(value);
        };
        return new CallException("unsupported field type for %s: %s".formatted(field.getFullName(), type));
    }

    /** Converts a value to Protobuf's type of a singular field. */
    private static Object fieldValue(FieldDescriptor field, Object value) throws FieldConversionException {
        return switch (value) {
            case Optional<?> optional -> fieldValue(field, valueOfOptional(optional));
            case Boolean _ when field.getJavaType() == FieldDescriptor.JavaType.BOOLEAN -> value;
            case String _ when field.getJavaType() == FieldDescriptor.JavaType.STRING -> value;
            case KubernetesValue _ when field.getJavaType() == FieldDescriptor.JavaType.STRING -> value.toString();
            case CelByteString bytes
            when field.getJavaType() == FieldDescriptor.JavaType.BYTE_STRING ->
                ByteString.copyFrom(bytes.toByteArray());
            case Double _ when field.getJavaType() == FieldDescriptor.JavaType.DOUBLE -> value;
            case Double number when field.getJavaType() == FieldDescriptor.JavaType.FLOAT -> number.floatValue();
            case Long number -> integerValue(field, number);
            case UnsignedLong number -> integerValue(field, number);
            case Map<?, ?> map when goType(field).equals("*structpb.Struct") -> struct(map);
            case Collection<?> list when goType(field).equals("*structpb.ListValue") -> list(list);
            default -> throw FieldConversionException.of(value, goType(field));
        };
    }

    private static Object integerValue(FieldDescriptor field, long number) throws FieldConversionException {
        boolean isNarrow = number == (int) number;
        return switch (goType(field)) {
            case "int64" -> number;
            case "int32" -> narrowed((int) number, isNarrow, INT);
            case "protoreflect.EnumNumber" ->
                field.getEnumType().findValueByNumberCreatingIfUnknown((int) narrowed((int) number, isNarrow, INT));
            case String other -> throw FieldConversionException.of(number, other);
        };
    }

    private static Object integerValue(FieldDescriptor field, UnsignedLong number) throws FieldConversionException {
        return switch (goType(field)) {
            case "uint64" -> number.longValue();
            case "uint32" ->
                narrowed(number.intValue(), number.bigIntegerValue().bitLength() <= Integer.SIZE, UINT);
            case String other -> throw FieldConversionException.of(number, other);
        };
    }

    private static Object narrowed(int number, boolean fits, String reason) throws FieldConversionException {
        if (!fits) {
            throw new FieldConversionException(reason);
        }
        return number;
    }

    private static String goType(FieldDescriptor field) {
        return switch (field.getType()) {
            case BOOL -> "bool";
            case BYTES -> "[]uint8";
            case DOUBLE -> "float64";
            case FLOAT -> "float32";
            case INT32 -> "int32";
            case UINT32 -> "uint32";
            case INT64 -> "int64";
            case UINT64 -> "uint64";
            case STRING -> "string";
            case ENUM -> "protoreflect.EnumNumber";
            case MESSAGE -> "*structpb." + field.getMessageType().getName();
            default -> throw new IllegalStateException("a field of type " + field.getType());
        };
    }

    private static Object valueOfOptional(Optional<?> optional) throws FieldConversionException {
        if (optional.isEmpty()) {
            throw new FieldConversionException("optional.none() dereference");
        }
        return optional.get();
    }

    // ---- conversion to JSON

    private static Struct struct(Map<?, ?> map) throws FieldConversionException {
        Struct.Builder struct = Struct.newBuilder();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            struct.putFields(key(entry.getKey()), json(entry.getValue()));
        }
        return struct.build();
    }

    private static String key(Object key) throws FieldConversionException {
        return switch (key) {
            case String text -> text;
            case KubernetesValue value -> value.toString();
            default -> throw FieldConversionException.of(key, "string");
        };
    }

    private static ListValue list(Collection<?> elements) throws FieldConversionException {
        ListValue.Builder list = ListValue.newBuilder();
        for (Object element : elements) {
            list.addValues(json(element));
        }
        return list.build();
    }

    private static Value json(Object value) throws FieldConversionException {
        Value.Builder json = Value.newBuilder();
        return switch (value) {
            case NullValue _ -> json.setNullValueValue(0).build();
            case Boolean bool -> json.setBoolValue(bool).build();
            case String text -> json.setStringValue(text).build();
            case Double number -> json.setNumberValue(number).build();
            case Long number
            when number >= -SAFE_MAX && number <= SAFE_MAX ->
                json.setNumberValue(number).build();
            case UnsignedLong number
            when number.bigIntegerValue().bitLength() <= 53 ->
                json.setNumberValue(number.doubleValue()).build();
            case Long _, UnsignedLong _ -> json.setStringValue(value.toString()).build();
            case CelByteString bytes ->
                json.setStringValue(Base64.getEncoder().encodeToString(bytes.toByteArray()))
                        .build();
            case Instant _, java.time.Duration _ ->
                json.setStringValue(ValueFormatter.text(value)).build();
            case Map<?, ?> map -> json.setStructValue(struct(map)).build();
            case Collection<?> elements -> json.setListValue(list(elements)).build();
            case Optional<?> optional -> json(valueOfOptional(optional));
            case EmptyMessage _ ->
                json.setStructValue(Struct.getDefaultInstance()).build();
            default -> throw FieldConversionException.of(value, VALUE);
        };
    }

    // ---- content of messages

    private static Object valueOf(Message message) {
        return switch (message) {
            case BoolValue bool -> bool.getValue();
            case BytesValue bytes -> CelByteString.of(bytes.getValue().toByteArray());
            case DoubleValue number -> number.getValue();
            case FloatValue number -> (double) number.getValue();
            case Int32Value number -> (long) number.getValue();
            case Int64Value number -> number.getValue();
            case UInt32Value number -> UnsignedLong.fromLongBits(Integer.toUnsignedLong(number.getValue()));
            case UInt64Value number -> UnsignedLong.fromLongBits(number.getValue());
            case StringValue text -> text.getValue();
            case Duration duration -> duration(duration);
            case Timestamp time -> time(time);
            case Struct struct -> map(struct);
            case ListValue list ->
                list.getValuesList().stream().map(ProtobufMessages::valueOf).toList();
            case Value value -> valueOf(value);
            case Any any -> unpacked(any);
            case Empty _ -> EmptyMessage.VALUE;
            default ->
                throw new IllegalStateException(
                        "a message of type " + message.getDescriptorForType().getFullName());
        };
    }

    private static Object valueOf(Value value) {
        return switch (value.getKindCase()) {
            case NULL_VALUE, KIND_NOT_SET -> NullValue.NULL_VALUE;
            case BOOL_VALUE -> value.getBoolValue();
            case NUMBER_VALUE -> value.getNumberValue();
            case STRING_VALUE -> value.getStringValue();
            case STRUCT_VALUE -> valueOf(value.getStructValue());
            case LIST_VALUE -> valueOf(value.getListValue());
        };
    }

    private static Map<String, Object> map(Struct struct) {
        Map<String, Object> map = new LinkedHashMap<>();
        struct.getFieldsMap().forEach((key, value) -> map.put(key, valueOf(value)));
        return map;
    }

    /** Converts a duration, limited to 64 bits of nanoseconds. */
    private static java.time.Duration duration(Duration duration) {
        BigInteger nanos =
                BigInteger.valueOf(duration.getSeconds()).multiply(NANOS).add(BigInteger.valueOf(duration.getNanos()));
        return java.time.Duration.ofNanos(nanos.max(NANOS_MIN).min(NANOS_MAX).longValueExact());
    }

    private static Instant time(Timestamp time) {
        try {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        } catch (DateTimeException e) {
            throw new CallException("timestamp overflow", e);
        }
    }

    /** Unpacks an Any. Upstream may know further types. */
    private static Object unpacked(Any any) {
        String url = any.getTypeUrl();
        Message packed = KNOWN.get(url.substring(url.lastIndexOf('/') + 1));
        if (packed != null) {
            try {
                return valueOf(packed.getParserForType().parseFrom(any.getValue()));
            } catch (InvalidProtocolBufferException e) {
                throw unpackable(url);
            }
        }
        throw unpackable(url);
    }

    private static CallException unpackable(String url) {
        return new CallException("unsupported conversion to ref.Val: (*dynamicpb.Message)"
                + (url.isEmpty() ? "" : "type_url:\"%s\"".formatted(url)));
    }

    /** The value cannot be converted to the type of the field. */
    private static final class FieldConversionException extends Exception {
        private static final long serialVersionUID = 1L;

        FieldConversionException(String message) {
            super(message, null, false, false);
        }

        static FieldConversionException of(Object value, String expectedType) {
            String text = switch (value) {
                case Boolean _ -> "type conversion error from bool to '%s'";
                case CelByteString _ -> "type conversion error from Bytes to '%s'";
                case Double _ -> "type conversion error from Double to '%s'";
                case java.time.Duration _ -> "type conversion error from 'Duration' to '%s'";
                case Instant _ -> "type conversion error from 'Timestamp' to '%s'";
                case UnsignedLong _ -> "unsupported type conversion from 'uint' to %s";
                case Long _ -> "unsupported type conversion from 'int' to %s";
                case String _ -> "unsupported native conversion from string to '%s'";
                case NullValue _ -> "type conversion error from 'null_type' to '%s'";
                case Map<?, ?> _ -> "type conversion error from map to '%s'";
                case Collection<?> _ -> "type conversion error from list to '%s'";
                case KubernetesValue known -> "type conversion error from '" + known.goName() + "' to '%s'";
                case TypeType _ -> "type conversion not supported for 'type'";
                default -> "type conversion error from '*dynamicpb.Message' to '%s'";
            };
            return new FieldConversionException(text.formatted(expectedType));
        }
    }
}
