package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.dra.AttributeValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Distribution of the values of a constraint's attribute over some devices.
 *
 * @param counts number of devices by value, in the order of the devices
 * @param absent number of devices without the attribute
 * @param earlierRequests requests under the same constraint that the search processes before this request
 */
record AttributeCounts(
        String request,
        String attribute,
        boolean distinct,
        Map<String, Integer> counts,
        int absent,
        List<String> earlierRequests) {
    /** Values that the text lists. */
    private static final int NAMED_MAX = 4;
    /** Longest listed value; published scalar values are not longer. */
    private static final int VALUE_LENGTH_MAX = 64;

    static AttributeCounts of(
            AllocationProblem problem,
            AttributeConstraint constraint,
            RequestOption option,
            List<DeviceCandidate> candidates) {
        AttributeSource source = problem.sources().get(constraint.source(option.column()));
        Map<String, Integer> counts = new LinkedHashMap<>();
        int absent = 0;
        for (DeviceCandidate candidate : candidates) {
            if (source.value(candidate).isEmpty()) {
                absent++;
            } else {
                AttributeValue value = source.value(candidate).get();
                String text = ChoiceRationale.text(value);
                counts.merge(
                        text.length() <= VALUE_LENGTH_MAX ? text : text.substring(0, VALUE_LENGTH_MAX) + "…",
                        1,
                        Integer::sum);
            }
        }
        List<String> before = problem.options().stream()
                .filter(each -> each.column() < option.column()
                        && constraint.appliesTo(each.column())
                        && !each.request().equals(option.request()))
                .map(RequestOption::request)
                .distinct()
                .toList();
        return new AttributeCounts(
                option.request(),
                ChoiceRationale.withoutDomain(problem.attributes().get(constraint.attribute())),
                constraint.distinct(),
                counts,
                absent,
                before);
    }

    /** Describes the values and their counts. */
    String text() {
        if (!distinct && counts.size() == 1 && absent == 0 && !earlierRequests.isEmpty()) {
            return "they have %s %s, and the first device for request %s has another; list request %s before it"
                    .formatted(
                            attribute,
                            counts.keySet().iterator().next(),
                            String.join(" and ", earlierRequests),
                            request);
        }
        List<String> parts = new ArrayList<>();
        counts.entrySet().stream()
                .limit(NAMED_MAX)
                .forEach(each -> parts.add("%d with %s".formatted(each.getValue(), each.getKey())));
        if (counts.size() > NAMED_MAX) {
            parts.add("%d more values".formatted(counts.size() - NAMED_MAX));
        }
        if (absent > 0) {
            parts.add("%d without %s".formatted(absent, attribute));
        }
        return "they have %s of %s (%s), and the constraint requires %s"
                .formatted(
                        counts.size() == 1 ? "1 value" : counts.size() + " different values",
                        attribute,
                        String.join(", ", parts),
                        distinct ? "distinct values" : "the same value for all");
    }
}
