package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.Finding.failed;
import static dev.claimstream.kubernetes.doctor.Finding.ok;
import static dev.claimstream.kubernetes.doctor.Finding.warning;

import dev.claimstream.kubernetes.doctor.ClusterFacts.Ours;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Checks whether the managed drivers and classes are declared and exist. */
final class Managing {
    private static final String OURS = "what is ours";
    private static final String CLASSES = "device classes";
    private static final String EXTENDED = "extended resource names";
    private static final String MAP = "ConfigMap claimstream/claimstream-managed";

    private Managing() {}

    static List<Finding> of(ClusterFacts facts) {
        return List.of(ours(facts), classes(facts), extended(facts));
    }

    private static Finding ours(ClusterFacts facts) {
        return switch (facts.ours()) {
            case Seen.Missing<Ours> _ ->
                failed(
                        OURS,
                        MAP
                                + " is not there: nobody may write the status of any claim, and no class is ours for whoever starts"
                                + " now; one that runs stays with what it named last",
                        "name drivers and classes in deploy/policies/claimstream.yaml, and kubectl apply -f it");
            case Seen.Hidden<Ours>(String why) -> warning(OURS, why, Diagnosis.AS_ADMINISTRATOR);
            case Seen.Found<Ours>(Ours ours) ->
                complete(ours, facts.given().value().orElse(List.of()));
        };
    }

    /** Checks the content of the ConfigMap against the drivers whose devices are allocated to claims of managed classes. */
    private static Finding complete(Ours ours, List<String> given) {
        String remedy = "kubectl edit configmap claimstream-managed -n claimstream";
        if (ours.drivers().isEmpty()
                || ours.classes().isEmpty()
                || ours.writer().isEmpty()) {
            return failed(
                    OURS,
                    "%s does not say all: drivers '%s', classes '%s', writer '%s'"
                            .formatted(MAP, names(ours.drivers()), names(ours.classes()), ours.writer()),
                    remedy);
        }
        List<String> unnamed =
                given.stream().filter(each -> !ours.drivers().contains(each)).toList();
        if (!unnamed.isEmpty()) {
            return failed(
                    OURS,
                    "claims of our classes have devices of %s, which the drivers of %s do not name: kube-scheduler may give them out as well"
                            .formatted(names(unnamed), MAP),
                    "name them: " + remedy);
        }
        return ok(
                OURS,
                "drivers %s; classes %s; written by %s"
                        .formatted(names(ours.drivers()), names(ours.classes()), ours.writer()));
    }

    private static String names(List<String> names) {
        return String.join(", ", names);
    }

    private static Finding classes(ClusterFacts facts) {
        Optional<Ours> ours = facts.ours().value();
        if (ours.isEmpty()) {
            return warning(CLASSES, "not looked at: it is not known which are ours", "see " + OURS);
        }
        return switch (facts.classes()) {
            case Seen.Missing<SortedMap<String, Optional<String>>> _ ->
                failed(CLASSES, "the server has no device classes", "use Kubernetes 1.36 or newer");
            case Seen.Hidden<SortedMap<String, Optional<String>>>(String why) ->
                warning(CLASSES, why, Diagnosis.AS_ADMINISTRATOR);
            case Seen.Found<SortedMap<String, Optional<String>>>(SortedMap<String, Optional<String>> all) ->
                classes(ours.get(), all, facts.drivers());
        };
    }

    private static Finding classes(Ours ours, SortedMap<String, Optional<String>> all, Seen<List<String>> drivers) {
        List<String> lost =
                ours.classes().stream().filter(each -> !all.containsKey(each)).toList();
        if (!lost.isEmpty()) {
            return warning(
                    CLASSES,
                    lost.size() == 1
                            ? "there is no DeviceClass %s: claims of it wait".formatted(names(lost))
                            : "there are no DeviceClasses %s: claims of them wait".formatted(names(lost)),
                    "make %1$s, or take %1$s out of the ".formatted(lost.size() == 1 ? "it" : "them") + MAP);
        }
        List<String> silent = drivers.value()
                .map(known -> ours.drivers().stream()
                        .filter(each -> !known.contains(each))
                        .toList())
                .orElse(List.of());
        return silent.isEmpty()
                ? ok(
                        CLASSES,
                        "all %d of ours are there".formatted(ours.classes().size()))
                : warning(
                        CLASSES,
                        "they are there, but there is no ResourceSlice of %s %s"
                                .formatted(silent.size() == 1 ? "driver" : "drivers", names(silent)),
                        silent.size() == 1
                                ? "see whether the pods of the driver run; or take it out of the " + MAP
                                : "see whether the pods of the drivers run; or take them out of the " + MAP);
    }

    private static Finding extended(ClusterFacts facts) {
        Optional<Ours> ours = facts.ours().value();
        Optional<SortedMap<String, Optional<String>>> all = facts.classes().value();
        if (ours.isEmpty() || all.isEmpty()) {
            return warning(EXTENDED, "not looked at", "see %s and %s".formatted(OURS, CLASSES));
        }
        List<String> named = ours.get().classes().stream()
                .filter(each -> all.get().getOrDefault(each, Optional.empty()).isPresent())
                .toList();
        if (named.isEmpty()) {
            return ok(EXTENDED, "no class of ours has one");
        }
        return failed(
                EXTENDED,
                "DeviceClass %s has extendedResourceName %s: kube-scheduler makes claims for it past the gate, and is denied them for ever"
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
