package dev.claimstream.selectors;

import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationException;

/** Why a literal cannot be converted, in upstream's words. */
final class ConversionMessages {
    private ConversionMessages() {}

    static String of(CelExpr conversion, CelEvaluationException failure) {
        String to = String.valueOf(Constants.CONVERSIONS.get(conversion.call().function()));
        if (Constants.text(conversion.call().args().getFirst()).isPresent()) {
            return "type conversion error from 'string' to '%s'".formatted(to);
        }
        return switch (to) {
            case "int" -> "integer overflow";
            case "uint" -> "unsigned integer overflow";
            default -> RuntimeMessages.of(failure);
        };
    }
}
