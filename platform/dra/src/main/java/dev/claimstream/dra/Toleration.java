package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * A toleration of a request or a pod.
 *
 * <p>An empty key or effect matches every key or effect. The operator is {@code Exists} or {@code Equal}; empty means {@code Equal}.
 */
public record Toleration(String key, String operator, String value, String effect, Optional<Long> tolerationSeconds) {
    /** Returns whether the taint is tolerated. Unknown operators tolerate nothing. */
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

    /** Returns the first repelling taint that none of the tolerations matches. */
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
