package dev.claimstream.lint;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.lint.Fleet.Failure;
import dev.claimstream.lint.Fleet.Passed;
import dev.claimstream.lint.Fleet.Published;
import dev.claimstream.manifests.Manifest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks classes and claims against the devices that the same manifests publish. Reports nothing if no devices are published. */
final class FleetRules {
    private final List<Manifest> manifests;
    private final Fleet fleet;
    private final Map<String, List<Published>> ofClasses = new HashMap<>();
    private final List<Diagnosis> found = new ArrayList<>();

    FleetRules(List<Manifest> manifests) {
        this.manifests = List.copyOf(manifests);
        this.fleet = new Fleet(manifests);
    }

    List<Diagnosis> findings() {
        if (!fleet.devices().isEmpty()) {
            manifests.forEach(this::ofClass);
            manifests.forEach(manifest -> ClaimRules.spec(manifest.object()).ifPresent(spec -> claim(manifest, spec)));
        }
        return List.copyOf(found);
    }

    private void ofClass(Manifest manifest) {
        if (manifest.object() instanceof DeviceClass deviceClass) {
            Passed passed = fleet.pass(fleet.devices(), deviceClass.selectors());
            ofClasses.put(deviceClass.meta().name(), passed.devices());
            told(manifest, "spec", deviceClass.selectors(), passed, "published device");
        }
    }

    /** Reports selectors that fail or match no device. */
    private void told(Manifest manifest, String path, List<String> expressions, Passed passed, String which) {
        passed.failures()
                .forEach((number, failure) ->
                        failed(manifest, expression(path, number), expressions.get(number), failure));
        passed.emptied()
                .filter(number -> !passed.failures().containsKey(number))
                .ifPresent(number -> add(
                        Rule.NEVER_MATCHES,
                        manifest,
                        expression(path, number),
                        expressions.get(number).strip(),
                        "no %s passes; %d devices are published, of %s"
                                .formatted(which, fleet.devices().size(), fleet.drivers()),
                        "try it: claimstream match 'CEL' -f SLICES says for each device what it does"));
    }

    private static String expression(String path, int number) {
        return "%s.selectors[%d].cel.expression".formatted(path, number);
    }

    private void failed(Manifest manifest, String field, String expression, Failure failure) {
        String message = failure.message();
        int hint = message.indexOf(". consider");
        add(
                Rule.SELECTOR_FAILS,
                manifest,
                field,
                expression.strip(),
                "fails on device %s: %s; a pod whose search meets it is not scheduled at all"
                        .formatted(failure.device().id(), hint < 0 ? message : message.substring(0, hint)),
                "guard it: device.driver == \"...\" && ..., or .?name.orValue(...)");
    }

    private void claim(Manifest manifest, ClaimSpec spec) {
        String devices = ClaimRules.devices(manifest.object());
        Map<String, List<Published>> ofRequests = new HashMap<>();
        for (int i = 0; i < spec.requests().size(); i++) {
            String path = "%s.requests[%d]".formatted(devices, i);
            DeviceRequest request = spec.requests().get(i);
            request(manifest, path, request).ifPresent(left -> ofRequests.put(request.name(), left));
        }
        for (int i = 0; i < spec.constraints().size(); i++) {
            constraint(
                    manifest,
                    "%s.constraints[%d]".formatted(devices, i),
                    spec.constraints().get(i),
                    ofRequests);
        }
    }

    /** Returns the devices that a request can choose from; empty if they are unknown. */
    private Optional<List<Published>> request(Manifest manifest, String path, DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> asking(manifest, exact(manifest, path), exactly.spec());
            case DeviceRequest.FirstAvailable first -> {
                List<Published> all = new ArrayList<>();
                boolean isKnown = true;
                for (int i = 0; i < first.alternatives().size(); i++) {
                    String at = "%s.firstAvailable[%d]".formatted(path, i);
                    var left = asking(manifest, at, first.alternatives().get(i).spec());
                    left.ifPresent(all::addAll);
                    isKnown &= left.isPresent();
                }
                yield isKnown ? Optional.of(all) : Optional.empty();
            }
            case DeviceRequest.Unsupported _ -> Optional.empty();
        };
    }

    private static String exact(Manifest manifest, String path) {
        return manifest.apiVersion().equals("resource.k8s.io/v1beta1") ? path : path + ".exactly";
    }

    private Optional<List<Published>> asking(Manifest manifest, String path, RequestSpec spec) {
        Optional<List<Published>> ofClass = Optional.ofNullable(ofClasses.get(spec.deviceClassName()));
        if (ofClass.filter(List::isEmpty).isPresent()) {
            return Optional.empty(); // reported at the class
        }
        Passed passed = fleet.pass(ofClass.orElse(fleet.devices()), spec.selectors());
        if (ofClass.isEmpty() && !passed.failures().isEmpty()) {
            return Optional.empty(); // the class may exclude the devices on which the selector fails
        }
        told(
                manifest,
                path,
                spec.selectors(),
                passed,
                ofClass.isPresent() ? "device of the class" : "published device");
        long most = Fleet.mostOnANode(passed.devices());
        boolean counts = spec.allocationMode().equals(AllocationMode.EXACT_COUNT);
        if (counts && most > 0 && spec.count() > most) {
            add(
                    Rule.TOO_FEW_DEVICES,
                    manifest,
                    path + ".count",
                    Long.toString(spec.count()),
                    "no node reaches so many devices that pass: the most are %d".formatted(most),
                    "ask for fewer: a claim is served on one node");
        }
        return ofClass.isPresent() && passed.failures().isEmpty() ? Optional.of(passed.devices()) : Optional.empty();
    }

    private void constraint(
            Manifest manifest, String path, DeviceConstraint constraint, Map<String, List<Published>> ofRequests) {
        String attribute = switch (constraint) {
            case DeviceConstraint.MatchAttribute match -> match.attribute();
            case DeviceConstraint.DistinctAttribute distinct -> distinct.attribute();
            case DeviceConstraint.Unsupported _ -> "";
        };
        String field = constraint instanceof DeviceConstraint.MatchAttribute ? "matchAttribute" : "distinctAttribute";
        for (var each : ofRequests.entrySet()) {
            boolean isBound = constraint.requests().isEmpty()
                    || constraint.requests().stream()
                            .anyMatch(name -> name.equals(each.getKey()) || name.startsWith(each.getKey() + "/"));
            if (isBound && !attribute.isEmpty() && !each.getValue().isEmpty() && lack(each.getValue(), attribute)) {
                add(
                        Rule.CONSTRAINT_NEVER_MET,
                        manifest,
                        path + "." + field,
                        attribute,
                        "no device that request %s can get has the attribute, and without it none is taken"
                                .formatted(each.getKey()),
                        "name an attribute that the devices publish");
            }
        }
    }

    private static boolean lack(List<Published> devices, String attribute) {
        return devices.stream().noneMatch(each -> has(each, attribute));
    }

    /** Returns whether a device has an attribute; a name without a domain belongs to the domain of the driver. */
    private static boolean has(Published published, String attribute) {
        Device device = published.device();
        int slash = attribute.indexOf('/');
        return device.attributes().containsKey(attribute)
                || (attribute
                                .substring(0, Math.max(0, slash))
                                .equals(published.id().driver())
                        && device.attributes().containsKey(attribute.substring(slash + 1)));
    }

    private void add(Rule rule, Manifest manifest, String field, String value, String message, String remedy) {
        found.add(new Diagnosis(rule, manifest.error(field, value, message, remedy)));
    }
}
