package dev.claimstream.manifests;

import dev.claimstream.dra.DeviceRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The request names that constraints, configurations and results may reference: {@code request} and {@code request/alternative}. */
record RequestNames(Set<String> names) {
    private static final int REFERENCES_MAX = 32;
    private static final String RULE =
            "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

    static RequestNames of(List<DeviceRequest> requests) {
        Set<String> names = new LinkedHashSet<>();
        for (DeviceRequest request : requests) {
            names.add(request.name());
            if (request instanceof DeviceRequest.FirstAvailable first) {
                first.alternatives().forEach(each -> names.add(request.name() + "/" + each.name()));
            }
        }
        return new RequestNames(names);
    }

    /** Reads a list of references without duplicates. */
    List<String> references(ManifestField field) {
        List<ManifestField> items = field.items(REFERENCES_MAX);
        List<String> references = items.stream().map(this::reference).toList();
        NameValidation.checkUnique(items, references);
        return references;
    }

    /** Reads one reference. */
    String reference(ManifestField field) {
        String name = field.text();
        if (!names.contains(name)) {
            String remedy = names.isEmpty() ? "write the request" : "write one of " + String.join(", ", names);
            field.invalid(name, RULE, remedy);
        }
        return name;
    }
}
