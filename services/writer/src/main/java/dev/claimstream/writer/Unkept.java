package dev.claimstream.writer;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Fields that an API server leaves out without a word while their feature gate is off (as of Kubernetes 1.36). */
enum Unkept {
    SHARE_ID("shareID", "DRAConsumableCapacity"),
    CONSUMED_CAPACITY("consumedCapacity", "DRAConsumableCapacity"),
    BINDING_CONDITIONS("bindingConditions", "DRADeviceBindingConditions"),
    BINDING_FAILURE_CONDITIONS("bindingFailureConditions", "DRADeviceBindingConditions"),
    ADMIN_ACCESS("adminAccess", "DRAAdminAccess"),
    TOLERATIONS("tolerations", "DRADeviceTaints"),
    SKIP_NODE_OPERATIONS("skipNodeOperations", "DRAOptionalNodeOperations");

    private final String field;
    private final String gate;

    Unkept(String field, String gate) {
        this.field = field;
        this.gate = gate;
    }

    /** The fields, and what to switch on. */
    static String named(List<String> fields) {
        List<String> gates = fields.stream()
                .flatMap(path -> Arrays.stream(values()).filter(each -> path.contains("." + each.field)))
                .map(each -> each.gate)
                .distinct()
                .toList();
        String remedy = gates.isEmpty()
                ? "it may be older than what the devices need"
                : "switch on its feature gate " + String.join(" and ", gates);
        return fields.stream().collect(Collectors.joining(", ", "", "; ")) + remedy;
    }
}
