package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * What a request or a pod puts up with. Empty key or effect stand for any; the operator is {@code Exists}, or {@code Equal} where
 * empty.
 */
public record Toleration(String key, String operator, String value, String effect, Optional<Long> tolerationSeconds) {
    /** Whether this taint is tolerated; unknown operators tolerate nothing. */
    public boolean tolerates(Taint taint) {
        if (!effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        if (!key.isEmpty() && !key.equals(taint.key())) {
            return false;
        }
        return switch (operator) {
            case "", "Equal" -> value.equals(taint.value());
            case "Exists" -> true;
            default -> false;
        };
    }

    /** The first taint that keeps away whoever has only these tolerations. */
    public static Optional<Taint> firstUntolerated(List<Taint> taints, List<Toleration> tolerations) {
        for (Taint taint : taints) {
            if (taint.repels() && !isTolerated(taint, tolerations)) {
                return Optional.of(taint);
            }
        }
        return Optional.empty();
    }

    private static boolean isTolerated(Taint taint, List<Toleration> tolerations) {
        for (Toleration toleration : tolerations) {
            if (toleration.tolerates(taint)) {
                return true;
            }
        }
        return false;
    }
}
