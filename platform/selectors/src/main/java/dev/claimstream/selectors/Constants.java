package dev.claimstream.selectors;

import com.google.common.collect.ImmutableMap;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What upstream computes once, when it plans an expression: literals, lists and maps of them, and conversions of these. */
final class Constants {
    /** The conversion functions with the types that they give. */
    static final Map<String, String> CONVERSIONS = ImmutableMap.<String, String>builder()
            .put("bool", "bool")
            .put("bytes", "bytes")
            .put("double", "double")
            .put("duration", "google.protobuf.Duration")
            .put("dyn", "dyn")
            .put("int", "int")
            .put("string", "string")
            .put("timestamp", "google.protobuf.Timestamp")
            .put("type", "type")
            .put("uint", "uint")
            .buildOrThrow();

    private Constants() {}

    /** Whether upstream computes an expression when it plans. */
    static boolean isFolded(CelExpr expression) {
        return switch (expression.getKind()) {
            case CONSTANT -> true;
            case LIST, MAP -> Trees.children(expression).stream().allMatch(Constants::isFolded);
            case CALL ->
                isConversion(expression) && isFolded(expression.call().args().getFirst());
            case IDENT, SELECT, STRUCT, COMPREHENSION, NOT_SET -> false;
        };
    }

    static boolean isConversion(CelExpr call) {
        return CONVERSIONS.containsKey(call.call().function())
                && call.call().target().isEmpty()
                && call.call().args().size() == 1;
    }

    /** The text of a string literal, also behind {@code dyn(...)}. */
    static Optional<String> text(CelExpr expression) {
        return switch (expression.getKind()) {
            case CONSTANT ->
                expression.constant().getKind() == CelConstant.Kind.STRING_VALUE
                        ? Optional.of(expression.constant().stringValue())
                        : Optional.empty();
            case CALL -> {
                List<CelExpr> arguments = expression.call().args();
                yield Trees.isCall(expression, "dyn") && arguments.size() == 1
                        ? text(arguments.getFirst())
                        : Optional.empty();
            }
            default -> Optional.empty();
        };
    }
}
