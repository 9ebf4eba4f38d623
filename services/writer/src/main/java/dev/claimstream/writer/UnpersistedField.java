package dev.claimstream.writer;

import dev.claimstream.kubernetes.status.Difference;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Claim fields that an API server drops silently while their feature gate is off (as of Kubernetes 1.36). */
enum UnpersistedField {
    SHARE_ID("shareID", "DRAConsumableCapacity"),
    CONSUMED_CAPACITY("consumedCapacity", "DRAConsumableCapacity"),
    BINDING_CONDITIONS("bindingConditions", "DRADeviceBindingConditions"),
    BINDING_FAILURE_CONDITIONS("bindingFailureConditions", "DRADeviceBindingConditions"),
    ADMIN_ACCESS("adminAccess", "DRAAdminAccess"),
    TOLERATIONS("tolerations", "DRADeviceTaints"),
    SKIP_NODE_OPERATIONS("skipNodeOperations", "DRAOptionalNodeOperations");

    private static final int LISTED_MAX = 5;

    private final String field;
    private final String gate;

    UnpersistedField(String field, String gate) {
        this.field = field;
        this.gate = gate;
    }

    /** Lists the differences and says how to avoid them. */
    static String describeWithRemedy(List<Difference> differences) {
        return describe(differences) + "; "
                + differences.stream().map(UnpersistedField::remedy).distinct().collect(Collectors.joining(", and "));
    }

    private static String remedy(Difference difference) {
        boolean isLeftOut =
                difference.decided().isPresent() && difference.stored().isEmpty();
        if (!isLeftOut || difference.field().startsWith("reservedFor")) {
            return "exclude this claim from the mutating webhook or policy that changes resourceclaims/status";
        }
        return Arrays.stream(values())
                .filter(each -> difference.field().contains("." + each.field))
                .findFirst()
                .map(each -> "enable its feature gate " + each.gate)
                .orElse("its version may be too old for these devices");
    }

    /** Lists the first differences, each with the decided and the stored value. */
    static String describe(List<Difference> differences) {
        String more = differences.size() > LISTED_MAX ? " and %d more".formatted(differences.size() - LISTED_MAX) : "";
        return differences.stream().limit(LISTED_MAX).map(Difference::toString).collect(Collectors.joining(", "))
                + more;
    }
}
