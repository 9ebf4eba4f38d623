package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.kubernetes.doctor.ClusterFacts.ManagedConfig;
import dev.claimstream.manifests.ClosestName;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Checks whether the managed drivers and classes are declared and exist. */
final class ManagedConfigCheck {
    private static final String MANAGED_CONFIG = "managed configuration";
    private static final String CLASSES = "device classes";
    private static final String DRIVERS = "managed drivers";
    private static final String EXTENDED = "extended resource names";
    private static final String MAP = "ConfigMap claimstream/claimstream-managed";

    private ManagedConfigCheck() {}

    static List<DoctorFinding> of(ClusterFacts facts) {
        return List.of(
                managedConfig(facts),
                classes(facts),
                drivers(facts),
                extendedResourceNames(facts, facts.managedConfig().value().map(ManagedConfig::classes)));
    }

    /** Checks a cluster of which all classes are managed. The configured classes need not exist then. */
    static List<DoctorFinding> ofAllClaims(ClusterFacts facts) {
        return List.of(
                managedConfig(facts),
                allClasses(facts),
                extendedResourceNames(facts, facts.classes().value().map(all -> List.copyOf(all.keySet()))));
    }

    private static DoctorFinding allClasses(ClusterFacts facts) {
        if (!(facts.classes() instanceof LookupResult.Value<SortedMap<String, Optional<String>>>(var all))) {
            return unreadable(facts.classes());
        }
        if (all.isEmpty()) {
            return warning(
                    CLASSES, "no DeviceClass exists: no claim can be allocated", "create the classes of the drivers");
        }
        List<String> named =
                facts.managedConfig().value().map(ManagedConfig::drivers).orElse(List.of());
        List<String> unnamed = facts.drivers().value().orElse(List.of()).stream()
                .filter(each -> !named.contains(each))
                .sorted()
                .toList();
        return unnamed.isEmpty()
                ? ok(CLASSES, "all %d classes are managed (--all-claims)".formatted(all.size()))
                : warning(
                        CLASSES,
                        "all classes are managed (--all-claims), but kube-scheduler can also allocate devices of %s, which is not in the drivers of %s"
                                .formatted(names(unnamed), MAP),
                        "add them: kubectl edit configmap claimstream-managed -n claimstream");
    }

    private static DoctorFinding unreadable(LookupResult<SortedMap<String, Optional<String>>> classes) {
        return classes instanceof LookupResult.Failure<SortedMap<String, Optional<String>>>(String reason)
                ? warning(CLASSES, reason, ClusterDiagnosis.ADMIN_REMEDY)
                : failed(CLASSES, "the server has no device classes", "use Kubernetes 1.36 or newer");
    }

    private static DoctorFinding managedConfig(ClusterFacts facts) {
        return switch (facts.managedConfig()) {
            case LookupResult.NotFound<ManagedConfig> _ ->
                failed(
                        MANAGED_CONFIG,
                        MAP
                                + " does not exist: no user may write the status of any claim. A watcher that starts manages no class"
                                + "; a running one keeps the last configured classes",
                        "name drivers and classes in deploy/policies/claimstream.yaml, and kubectl apply -f it");
            case LookupResult.Failure<ManagedConfig>(String reason) ->
                warning(MANAGED_CONFIG, reason, ClusterDiagnosis.ADMIN_REMEDY);
            case LookupResult.Value<ManagedConfig>(ManagedConfig managedConfig) ->
                completeness(managedConfig, facts.driversInUse());
        };
    }

    /** Checks the content of the ConfigMap against the drivers whose devices are allocated to claims of managed classes. */
    private static DoctorFinding completeness(ManagedConfig managedConfig, LookupResult<List<String>> driversInUse) {
        String remedy = "kubectl edit configmap claimstream-managed -n claimstream";
        if (managedConfig.drivers().isEmpty()
                || managedConfig.classes().isEmpty()
                || managedConfig.writer().isEmpty()) {
            return failed(
                    MANAGED_CONFIG,
                    "%s is incomplete: drivers '%s', classes '%s', writer '%s'"
                            .formatted(
                                    MAP,
                                    names(managedConfig.drivers()),
                                    names(managedConfig.classes()),
                                    managedConfig.writer()),
                    remedy);
        }
        if (driversInUse instanceof LookupResult.Failure<List<String>>(String reason)) {
            return warning(
                    MANAGED_CONFIG,
                    "not checked against the drivers of allocated claims: " + reason,
                    ClusterDiagnosis.ADMIN_REMEDY);
        }
        List<String> unnamed = driversInUse.value().orElse(List.of()).stream()
                .filter(each -> !managedConfig.drivers().contains(each))
                .toList();
        if (!unnamed.isEmpty()) {
            return failed(
                    MANAGED_CONFIG,
                    "claims of managed classes have devices of %s, which is not in the drivers of %s: kube-scheduler can also allocate them"
                            .formatted(names(unnamed), MAP),
                    "add them: " + remedy);
        }
        return ok(
                MANAGED_CONFIG,
                "drivers %s; classes %s; written by %s"
                        .formatted(
                                names(managedConfig.drivers()),
                                names(managedConfig.classes()),
                                managedConfig.writer()));
    }

    private static String names(List<String> names) {
        return String.join(", ", names);
    }

    private static DoctorFinding classes(ClusterFacts facts) {
        Optional<ManagedConfig> managedConfig = facts.managedConfig().value();
        if (managedConfig.isEmpty()) {
            return warning(CLASSES, "not checked: the managed classes are unknown", "see " + MANAGED_CONFIG);
        }
        return facts.classes() instanceof LookupResult.Value<SortedMap<String, Optional<String>>>(var all)
                ? classes(managedConfig.get().classes(), all.keySet())
                : unreadable(facts.classes());
    }

    private static DoctorFinding classes(List<String> managed, Collection<String> all) {
        List<String> lost = managed.stream().filter(each -> !all.contains(each)).toList();
        if (lost.isEmpty()) {
            return ok(CLASSES, "all %d managed classes exist".formatted(managed.size()));
        }
        boolean isOne = lost.size() == 1;
        return warning(
                CLASSES,
                isOne
                        ? "DeviceClass %s does not exist: its claims stay pending".formatted(names(lost))
                        : "DeviceClasses %s do not exist: their claims stay pending".formatted(names(lost)),
                guess(lost, managed, all)
                        + "create %1$s, or remove %1$s from the ".formatted(isOne ? "it" : "them")
                        + MAP);
    }

    private static DoctorFinding drivers(ClusterFacts facts) {
        Optional<List<String>> managed = facts.managedConfig().value().map(ManagedConfig::drivers);
        if (managed.isEmpty()) {
            return warning(DRIVERS, "not checked: the managed drivers are unknown", "see " + MANAGED_CONFIG);
        }
        return switch (facts.drivers()) {
            case LookupResult.Failure<List<String>>(String reason) ->
                warning(DRIVERS, "not checked whether they publish slices: " + reason, ClusterDiagnosis.ADMIN_REMEDY);
            case LookupResult.NotFound<List<String>> _ ->
                warning(DRIVERS, "the server has no ResourceSlices", "use Kubernetes 1.36 or newer");
            case LookupResult.Value<List<String>>(List<String> publishing) -> drivers(managed.get(), publishing);
        };
    }

    private static DoctorFinding drivers(List<String> managed, List<String> publishing) {
        List<String> silent =
                managed.stream().filter(each -> !publishing.contains(each)).toList();
        if (silent.isEmpty()) {
            return ok(DRIVERS, "all %d publish slices".formatted(managed.size()));
        }
        boolean isOne = silent.size() == 1;
        return warning(
                DRIVERS,
                "there is no ResourceSlice of %s %s: no device of %s can be allocated"
                        .formatted(isOne ? "driver" : "drivers", names(silent), isOne ? "it" : "them"),
                guess(silent, managed, publishing)
                        + (isOne
                                ? "check that the pods of the driver run, or remove it from the "
                                : "check that the pods of the drivers run, or remove them from the ")
                        + MAP);
    }

    /** Returns a question about each name that is close to an existing one, which is not managed. */
    private static String guess(List<String> missing, List<String> managed, Collection<String> existing) {
        List<String> candidates =
                existing.stream().filter(each -> !managed.contains(each)).toList();
        return missing.stream()
                .flatMap(each -> ClosestName.of(each, candidates).stream()
                        .map(suggestion -> "did you mean %s instead of %s? Correct it in the %s; else "
                                .formatted(suggestion, each, MAP)))
                .collect(Collectors.joining());
    }

    private static DoctorFinding extendedResourceNames(ClusterFacts facts, Optional<List<String>> managed) {
        Optional<SortedMap<String, Optional<String>>> all = facts.classes().value();
        if (managed.isEmpty() || all.isEmpty()) {
            return warning(EXTENDED, "not checked", "see %s and %s".formatted(MANAGED_CONFIG, CLASSES));
        }
        List<String> named = managed.get().stream()
                .filter(each -> all.get().getOrDefault(each, Optional.empty()).isPresent())
                .toList();
        if (named.isEmpty()) {
            return ok(EXTENDED, "no managed class has one");
        }
        return failed(
                EXTENDED,
                "DeviceClass %s has extendedResourceName %s: kube-scheduler creates claims for it that bypass the gate, and every allocation is rejected"
                        .formatted(
                                named.getFirst(),
                                all.get()
                                        .getOrDefault(named.getFirst(), Optional.empty())
                                        .orElse("")),
                "kubectl patch deviceclass %s --type=json -p '[{\"op\":\"remove\",\"path\":\"/spec/extendedResourceName\"}]'%s"
                        .formatted(
                                named.getFirst(),
                                named.size() == 1
                                        ? ""
                                        : ", and the same for " + names(named.subList(1, named.size()))));
    }
}
