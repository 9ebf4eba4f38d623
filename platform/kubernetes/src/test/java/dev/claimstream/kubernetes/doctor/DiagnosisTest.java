package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.Finding.Verdict.FAILED;
import static dev.claimstream.kubernetes.doctor.Finding.Verdict.OK;
import static dev.claimstream.kubernetes.doctor.Finding.Verdict.WARNING;
import static dev.claimstream.kubernetes.doctor.Healthy.DENIED;
import static dev.claimstream.kubernetes.doctor.Healthy.MARKED;
import static dev.claimstream.kubernetes.doctor.Healthy.TAKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Feature;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Binding;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Expected;
import dev.claimstream.kubernetes.doctor.ClusterFacts.Ours;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.WriterFacts;
import dev.claimstream.kubernetes.doctor.Finding.Verdict;
import dev.claimstream.kubernetes.doctor.Seen.Found;
import dev.claimstream.kubernetes.doctor.Seen.Hidden;
import dev.claimstream.kubernetes.doctor.Seen.Missing;
import dev.claimstream.kubernetes.doctor.Trial.Answered;
import dev.claimstream.kubernetes.doctor.Trial.NotTried;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One fact is changed, and one finding with it. */
class DiagnosisTest {
    private static final Trial FORBIDDEN = new Answered(403, "User cannot create pods", List.of());

    /**
     * A cluster that differs from a healthy one, and what is found.
     *
     * @param says a part of what was seen or is to be done
     */
    record Row(String check, Verdict verdict, String says, Consumer<Healthy> change) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, verdict.text(), says);
        }
    }

    private static Row row(String check, Verdict verdict, String says, Consumer<Healthy> change) {
        return new Row(check, verdict, says, change);
    }

    static Stream<Row> rows() {
        return Stream.of(server(), gates(), managing(), policies(), rights()).flatMap(List::stream);
    }

    private static List<Row> server() {
        String check = "server";
        return List.of(
                row(check, OK, "Kubernetes v1.37.0-beta.1", is -> is.version = new Found<>("v1.37.0-beta.1")),
                row(check, WARNING, "newer Claimstream", is -> is.version = new Found<>("v1.38.0")),
                row(check, WARNING, "no MutatingAdmissionPolicy", is -> is.version = new Found<>("v1.35.2")),
                row(check, FAILED, "1.36 or newer", is -> is.version = new Found<>("v1.33.1")),
                row(check, WARNING, "kubectl version", is -> is.version = new Found<>("odd")),
                row(check, WARNING, "unknown version", is -> is.version = new Hidden<>("no")),
                row(check, FAILED, "does not serve resource.k8s.io/v1", is -> is.api = new Missing<>()),
                row("clock", OK, "2.0 s ahead of", is -> is.ahead = new Found<>(Duration.ofSeconds(2))),
                row("clock", WARNING, "2.5 s behind", is -> is.ahead = new Found<>(Duration.ofMillis(-2500))),
                row("clock", FAILED, "time server", is -> is.ahead = new Found<>(Duration.ofMinutes(6))),
                row("clock", WARNING, "compare", is -> is.ahead = new Missing<>()));
    }

    private static List<Row> gates() {
        return List.of(
                row(
                        "gate DRAPartitionableDevices",
                        WARNING,
                        "up with --features DRAPartitionableDevices=false",
                        is -> is.gates.put(Feature.PARTITIONABLE_DEVICES, TAKEN)),
                row(
                        "gate DRAPartitionableDevices",
                        WARNING,
                        "not known",
                        is -> is.gates.put(Feature.PARTITIONABLE_DEVICES, FORBIDDEN)),
                row(
                        "gate DRAListTypeAttributes",
                        WARNING,
                        "--features DRAListTypeAttributes=true",
                        is -> is.gates.put(Feature.LIST_TYPE_ATTRIBUTES, MARKED)),
                row(
                        "gate DRADeviceTaintRules",
                        OK,
                        "the default of 1.36",
                        is -> is.gates.put(Feature.DEVICE_TAINT_RULES, TAKEN)),
                row("gate DRADeviceTaintRules", WARNING, "not the default of 1.37", is -> {
                    is.version = new Found<>("v1.37.2");
                    is.gates.put(Feature.DEVICE_TAINT_RULES, TAKEN);
                }),
                row(
                        "gate DRANodeAllocatableResources",
                        WARNING,
                        "up with --features DRANodeAllocatableResources=true",
                        is -> is.gates.put(Feature.NODE_ALLOCATABLE_RESOURCES, MARKED)));
    }

    private static List<Row> managing() {
        String ours = "what is ours";
        String classes = "device classes";
        return List.of(
                row(ours, FAILED, "is not there", is -> is.ours = new Missing<>()),
                row(ours, WARNING, "administrator", is -> is.ours = new Hidden<>("no")),
                row(
                        ours,
                        FAILED,
                        "writer ''",
                        is -> is.ours = new Found<>(new Ours(List.of("gpu.example.com"), List.of("mig"), ""))),
                row(
                        ours,
                        FAILED,
                        "devices of nic.example.com, which the drivers of ConfigMap claimstream/claimstream-managed do not name",
                        is -> is.given = new Found<>(List.of("gpu.example.com", "nic.example.com"))),
                row(ours, OK, "drivers gpu", is -> is.given = new Hidden<>("no")),
                row(ours, FAILED, "classes ''", is -> is.ours = new Found<>(new Ours(List.of("d"), List.of(), "w"))),
                row(
                        classes,
                        WARNING,
                        "no DeviceClass mig",
                        is -> is.classes = new Found<>(new TreeMap<>(Map.of("gpu.example.com", Optional.empty())))),
                row(
                        classes,
                        WARNING,
                        "there are no DeviceClasses gpu.example.com, mig: claims of them wait",
                        is -> is.classes = new Found<>(new TreeMap<>())),
                row(
                        classes,
                        WARNING,
                        "no ResourceSlice of driver gpu",
                        is -> is.drivers = new Found<>(List.of("other"))),
                row(classes, OK, "all 2", is -> is.drivers = new Hidden<>("no")),
                row(classes, WARNING, "administrator", is -> is.classes = new Hidden<>("no")),
                row(
                        "extended resource names",
                        FAILED,
                        "kubectl patch deviceclass mig",
                        is -> is.classes = new Found<>(new TreeMap<>(
                                Map.of("gpu.example.com", Optional.empty(), "mig", Optional.of("a/b"))))));
    }

    private static List<Row> policies() {
        String gate = "policy claimstream-gate";
        String writer = "policy claimstream-single-writer";
        Policy single = Policy.SINGLE_WRITER;
        return List.of(
                row(
                        gate,
                        FAILED,
                        "deploy/policies/gate.yaml",
                        is -> is.policies.put(
                                Policy.GATE, new PolicyFacts(new Missing<>(), new Found<>(List.of()), List.of()))),
                row(
                        gate,
                        FAILED,
                        "no binding",
                        is -> is.policies.put(
                                Policy.GATE, new PolicyFacts(new Found<>("Fail"), new Found<>(List.of()), List.of()))),
                row(gate, FAILED, "leaves alone a thing", is -> is.shows(Policy.GATE, Expected.CHANGED, TAKEN)),
                row(gate, FAILED, "changes a thing", is -> is.shows(Policy.GATE, Expected.UNCHANGED, MARKED)),
                row(gate, WARNING, "administrator", is -> is.shows(Policy.GATE, Expected.CHANGED, FORBIDDEN)),
                row(
                        gate,
                        WARNING,
                        "label one",
                        is -> is.shows(Policy.GATE, Expected.CHANGED, new NotTried("none is managed", "label one"))),
                row(
                        writer,
                        FAILED,
                        "does not deny, it does Audit",
                        is -> is.policies.put(
                                single,
                                new PolicyFacts(
                                        new Found<>("Fail"),
                                        new Found<>(List.of(new Binding("b", List.of("Audit")))),
                                        List.of()))),
                row(writer, FAILED, "lets through a thing", is -> is.shows(single, Expected.REFUSED, TAKEN)),
                row(
                        writer,
                        FAILED,
                        "lets through a thing",
                        is -> is.shows(single, Expected.REFUSED, new Answered(409, "already exists", List.of()))),
                row(writer, WARNING, "not tried", is -> is.shows(single, Expected.REFUSED, FORBIDDEN)),
                row(
                        writer,
                        WARNING,
                        "answered 422",
                        is -> is.shows(single, Expected.LET_THROUGH, Healthy.refusal(Policy.NO_MIXED_CLAIMS))),
                row(
                        writer,
                        FAILED,
                        "refuses a thing",
                        is -> is.shows(single, Expected.LET_THROUGH, Healthy.refusal(single))),
                row(writer, OK, "refuses a thing", is -> is.shows(single, Expected.REFUSED, Healthy.refusal(single))),
                row(
                        writer,
                        WARNING,
                        "failurePolicy is Ignore",
                        is -> is.policies.put(
                                single,
                                new PolicyFacts(
                                        new Found<>("Ignore"),
                                        new Found<>(List.of(new Binding("b", List.of("Deny")))),
                                        List.of()))),
                row(
                        writer,
                        WARNING,
                        "cannot be read",
                        is -> is.policies.put(
                                single,
                                new PolicyFacts(new Hidden<>("forbidden"), new Hidden<>("forbidden"), List.of()))));
    }

    private static List<Row> rights() {
        WriterFacts all = new Healthy().writer;
        return List.of(
                row(
                        "rights of the writer",
                        FAILED,
                        "lacks get nodes",
                        is -> is.writer = new WriterFacts(DENIED, all.binding(), all.write(), all.watching())),
                row(
                        "rights of the writer",
                        WARNING,
                        "administrator",
                        is -> is.writer = new WriterFacts(
                                new Hidden<>("may not impersonate"), all.binding(), all.write(), all.watching())),
                row(
                        "right to bind",
                        FAILED,
                        "ClusterRoleBinding",
                        is -> is.writer =
                                new WriterFacts(all.rights(), new Found<>(false), all.write(), all.watching())),
                row(
                        "status of a claim",
                        WARNING,
                        "--make-claim",
                        is -> is.writer = new WriterFacts(
                                all.rights(),
                                all.binding(),
                                new NotTried("no claim", "use --make-claim"),
                                all.watching())),
                row(
                        "status of a claim",
                        FAILED,
                        "name the writer",
                        is -> is.writer = new WriterFacts(
                                all.rights(), all.binding(), Healthy.refusal(Policy.SINGLE_WRITER), all.watching())),
                row(
                        "status of a claim",
                        FAILED,
                        "claimstream.yaml",
                        is -> is.writer = new WriterFacts(
                                all.rights(),
                                all.binding(),
                                new Answered(422, "no params found for policy binding", List.of()),
                                all.watching())),
                row("rights of the watcher", FAILED, "rights-of-the-watcher", is -> is.watcher = DENIED),
                row(
                        "rights of one process",
                        OK,
                        "are two",
                        is -> is.writer = new WriterFacts(all.rights(), all.binding(), all.write(), DENIED)),
                row("rights of one process", FAILED, "deploy/policies/one-process", is -> {
                    is.user = Healthy.WRITER;
                    is.writer = new WriterFacts(all.rights(), all.binding(), all.write(), DENIED);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void theFindingFollowsFromTheFact(Row row) {
        var changed = new Healthy();
        row.change.accept(changed);
        List<Finding> found = Diagnosis.of(changed.facts());
        assertThat(found)
                .filteredOn(each -> each.check().equals(row.check))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.verdict()).as(each.toString()).isEqualTo(row.verdict);
                    assertThat(each.seen() + " " + each.remedy()).contains(row.says);
                });
    }

    @Test
    void whereAllIsWellEveryCheckSaysSoOnce() {
        List<Finding> found = Diagnosis.of(new Healthy().facts());
        assertThat(found)
                .allSatisfy(
                        each -> assertThat(each.verdict()).as(each.toString()).isEqualTo(OK));
        assertThat(found.stream().map(Finding::check)).doesNotHaveDuplicates();
        assertThat(found).hasSize(2 + 3 + 3 + Policy.values().length + 5);
    }

    /** A change of one fact must not be told as something else. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void nothingElseIsWorse(Row row) {
        var changed = new Healthy();
        row.change.accept(changed);
        List<String> failed = Diagnosis.of(changed.facts()).stream()
                .filter(each -> each.verdict() == FAILED)
                .map(Finding::check)
                .collect(Collectors.toList());
        assertThat(failed).isSubsetOf(row.check);
    }

    @Test
    void whereTheServerDropsTheNameThePolicyHasNothingToRefuse() {
        var is = new Healthy();
        is.gates.put(Feature.EXTENDED_RESOURCE, TAKEN);
        is.shows(Policy.NO_EXTENDED_RESOURCE_NAMES, Expected.REFUSED, TAKEN);
        assertThat(Diagnosis.of(is.facts()))
                .filteredOn(each -> each.check().endsWith("no-extended-resource-names"))
                .singleElement()
                .satisfies(each -> assertThat(each.verdict()).isEqualTo(OK));
    }

    @Test
    void whatIsNotWellSaysWhatToDo() {
        assertThatThrownBy(() -> new Finding("clock", FAILED, "late", "")).hasMessageContaining("clock");
        assertThatThrownBy(() -> new Finding("clock", OK, "exact", "hurry")).hasMessageContaining("hurry");
    }
}
