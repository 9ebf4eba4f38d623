package dev.claimstream.manifests;

import dev.claimstream.dra.ResourceList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What containers take that are resized in place: until a resize is done, the most of what is asked for, what is allocated and what is
 * there; one that is not feasible does not count.
 *
 * <p>Source: {@code determineEffectiveRequests} of {@code k8s.io/component-helpers/resource}.
 */
final class Resizes {
    private final Map<String, Fields> containers = new HashMap<>();
    private final boolean isInfeasible;

    private Resizes(boolean isInfeasible) {
        this.isInfeasible = isInfeasible;
    }

    /** Those of a pod, from its status. */
    static Resizes of(Fields status) {
        boolean isInfeasible = status.get("conditions").items().stream()
                .map(Field::fieldsOrNone)
                .filter(condition -> condition.get("type").text().equals("PodResizePending"))
                .findFirst()
                .filter(condition -> condition.get("reason").text().equals("Infeasible"))
                .isPresent();
        var resizes = new Resizes(isInfeasible);
        for (String field : new String[] {"containerStatuses", "initContainerStatuses"}) {
            for (Field each : status.get(field).items()) {
                Fields container = each.fieldsOrNone();
                resizes.containers.put(container.get("name").text(), container);
            }
        }
        return resizes;
    }

    /** What a container takes that asks for this. */
    ResourceList taken(Fields container, ResourceList asked) {
        if (containers.isEmpty()) {
            return asked;
        }
        Optional<Fields> status = Optional.ofNullable(
                        containers.get(container.get("name").text()))
                .filter(each -> each.get("resources").isPresent());
        return status.map(each -> (isInfeasible ? ResourceList.none() : asked)
                        .max(PodRequests.list(
                                each.get("resources").fieldsOrNone().get("requests")))
                        .max(PodRequests.list(each.get("allocatedResources"))))
                .orElse(asked);
    }
}
