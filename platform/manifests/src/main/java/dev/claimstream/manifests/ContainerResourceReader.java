package dev.claimstream.manifests;

import dev.claimstream.dra.ContainerResource;
import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads the extended resources that containers request; other resources count only for the index of a resource. */
final class ContainerResourceReader {
    private ContainerResourceReader() {}

    /** Reads {@code resources.requests} of all containers of a pod, init containers first. */
    static List<ContainerResource> ofPod(FieldMap spec) {
        List<ContainerResource> found = new ArrayList<>(0);
        List<ManifestField> first = spec.get("initContainers").items();
        for (int i = 0; i < first.size(); i++) {
            FieldMap container = first.get(i).fieldsOrEmpty();
            add(container, i, !container.get("restartPolicy").text().equals("Always"), found);
        }
        List<ManifestField> others = spec.get("containers").items();
        for (int i = 0; i < others.size(); i++) {
            add(others.get(i).fieldsOrEmpty(), first.size() + i, false, found);
        }
        return found;
    }

    /** Reads a container; a limit without a request is also the request, as the API server defaults it. */
    private static void add(FieldMap container, int index, boolean ends, List<ContainerResource> found) {
        FieldMap resources = container.get("resources").fieldsOrEmpty();
        Map<String, ManifestField> limits = resources.get("limits").values();
        Map<String, ManifestField> requests = resources.get("requests").values();
        requests.forEach(
                (resource, request) -> checkLimit(resource, request, Optional.ofNullable(limits.get(resource))));
        Map<String, ManifestField> requested = new TreeMap<>(limits);
        requested.putAll(requests);
        int position = 0;
        for (var each : requested.entrySet()) {
            long count = ExtendedResources.isExtended(each.getKey()) ? count(each.getValue()) : 0;
            if (count > 0) {
                found.add(new ContainerResource(index, position, each.getKey(), count, ends));
            }
            position++;
        }
    }

    /** Checks that request and limit are equal, which the API server requires for resources that cannot be overcommitted. */
    private static void checkLimit(String resource, ManifestField request, Optional<ManifestField> limit) {
        if (!ExtendedResources.isExtended(resource)) {
            return;
        }
        Optional<Quantity> amount = request.quantity();
        if (amount.isEmpty()) {
            return;
        }
        if (limit.isEmpty()) {
            request.invalid(
                    amount.get().toString(),
                    "Limit must be set for non overcommitable resources",
                    "write the same into resources.limits");
            return;
        }
        limit.get()
                .quantity()
                .filter(most -> most.compareTo(amount.get()) != 0)
                .ifPresent(most -> request.invalid(
                        amount.get().toString(),
                        "must be equal to %s limit of %s".formatted(resource, most),
                        "write the same number into both"));
    }

    private static long count(ManifestField field) {
        Optional<Quantity> amount = field.quantity();
        if (amount.isEmpty()) {
            return 0;
        }
        BigDecimal number = amount.get().amount();
        if (number.signum() < 0 || number.stripTrailingZeros().scale() > 0) {
            field.invalid(number.toPlainString(), "must be an integer", "write a whole number that is not negative");
            return 0;
        }
        return amount.get().value();
    }
}
