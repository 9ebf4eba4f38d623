package dev.claimstream.kubernetes.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus.FAILED;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus.OK;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus.WARNING;
import static dev.claimstream.kubernetes.doctor.HealthyClusterFacts.ADMITTED_RESPONSE;
import static dev.claimstream.kubernetes.doctor.HealthyClusterFacts.DENIED;
import static dev.claimstream.kubernetes.doctor.HealthyClusterFacts.MUTATED_RESPONSE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Feature;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ExpectedEffect;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ManagedConfig;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyBinding;
import dev.claimstream.kubernetes.doctor.ClusterFacts.PolicyFacts;
import dev.claimstream.kubernetes.doctor.ClusterFacts.WriterFacts;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import dev.claimstream.kubernetes.doctor.DryRunResult.Response;
import dev.claimstream.kubernetes.doctor.DryRunResult.Skipped;
import dev.claimstream.kubernetes.doctor.LookupResult.Failure;
import dev.claimstream.kubernetes.doctor.LookupResult.NotFound;
import dev.claimstream.kubernetes.doctor.LookupResult.Value;
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

/** Findings of the doctor for a healthy cluster in which one fact is changed. */
class ClusterDiagnosisTest {
    private static final DryRunResult FORBIDDEN = new Response(403, "User cannot create pods", List.of());

    /** The response of the plugin NodeDeclaredFeatureValidator. */
    private static final DryRunResult UNDECLARED = new Response(
            403,
            "resourceslices.resource.k8s.io \"claimstream-doctor-x\" is forbidden: node \"node-2\" does not support DRANodeAllocatableResources feature",
            List.of());

    /**
     * A change of a healthy cluster and its expected finding.
     *
     * @param expectedText part of the observation or the remedy
     */
    record DiagnosisCase(
            String check, FindingStatus expectedStatus, String expectedText, Consumer<HealthyClusterFacts> change) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, expectedStatus.text(), expectedText);
        }
    }

    private static DiagnosisCase row(
            String check, FindingStatus verdict, String says, Consumer<HealthyClusterFacts> change) {
        return new DiagnosisCase(check, verdict, says, change);
    }

    static Stream<DiagnosisCase> rows() {
        return Stream.of(server(), gates(), managedConfig(), policies(), rights())
                .flatMap(List::stream);
    }

    private static List<DiagnosisCase> server() {
        String check = "server";
        return List.of(
                row(check, OK, "Kubernetes v1.37.0-beta.1", is -> is.version = new Value<>("v1.37.0-beta.1")),
                row(check, WARNING, "newer Claimstream", is -> is.version = new Value<>("v1.38.0")),
                row(check, WARNING, "no MutatingAdmissionPolicy", is -> is.version = new Value<>("v1.35.2")),
                row(check, FAILED, "1.36 or newer", is -> is.version = new Value<>("v1.33.1")),
                row(check, WARNING, "kubectl version", is -> is.version = new Value<>("odd")),
                row(check, WARNING, "unknown version", is -> is.version = new Failure<>("no")),
                row(check, FAILED, "does not serve resource.k8s.io/v1", is -> is.api = new NotFound<>()),
                row("clock", OK, "2.0 s ahead of", is -> is.clockOffset = new Value<>(Duration.ofSeconds(2))),
                row("clock", WARNING, "2.5 s behind", is -> is.clockOffset = new Value<>(Duration.ofMillis(-2500))),
                row("clock", FAILED, "time server", is -> is.clockOffset = new Value<>(Duration.ofMinutes(6))),
                row("clock", WARNING, "compare", is -> is.clockOffset = new NotFound<>()));
    }

    private static List<DiagnosisCase> gates() {
        return List.of(
                row(
                        "gate DRAPartitionableDevices",
                        WARNING,
                        "up with --features DRAPartitionableDevices=false",
                        is -> is.gates.put(Feature.PARTITIONABLE_DEVICES, ADMITTED_RESPONSE)),
                row(
                        "gate DRAPartitionableDevices",
                        WARNING,
                        "unknown",
                        is -> is.gates.put(Feature.PARTITIONABLE_DEVICES, FORBIDDEN)),
                row(
                        "gate DRAListTypeAttributes",
                        WARNING,
                        "--features DRAListTypeAttributes=true",
                        is -> is.gates.put(Feature.LIST_TYPE_ATTRIBUTES, MUTATED_RESPONSE)),
                row(
                        "gate DRADeviceTaintRules",
                        OK,
                        "the default of 1.36",
                        is -> is.gates.put(Feature.DEVICE_TAINT_RULES, ADMITTED_RESPONSE)),
                row("gate DRADeviceTaintRules", WARNING, "not the default of 1.37", is -> {
                    is.version = new Value<>("v1.37.2");
                    is.gates.put(Feature.DEVICE_TAINT_RULES, ADMITTED_RESPONSE);
                }),
                row(
                        "gate DRANodeAllocatableResources",
                        WARNING,
                        "up with --features DRANodeAllocatableResources=true",
                        is -> is.gates.put(Feature.NODE_ALLOCATABLE_RESOURCES, MUTATED_RESPONSE)),
                row(
                        "gate DRANodeAllocatableResources",
                        WARNING,
                        "on at the API server, not the default of 1.36; but the kubelet of node node-2 does not declare it",
                        is -> is.gates.put(Feature.NODE_ALLOCATABLE_RESOURCES, UNDECLARED)),
                row(
                        "gate DRANodeAllocatableResources",
                        WARNING,
                        "enable the gate for the kubelets of its nodes",
                        is -> is.gates.put(Feature.NODE_ALLOCATABLE_RESOURCES, UNDECLARED)),
                row(
                        "gate DRAPartitionableDevices",
                        WARNING,
                        "unknown",
                        is -> is.gates.put(Feature.PARTITIONABLE_DEVICES, UNDECLARED)));
    }

    private static List<DiagnosisCase> managedConfig() {
        String check = "managed configuration";
        String classes = "device classes";
        String drivers = "managed drivers";
        return List.of(
                row(check, FAILED, "does not exist", is -> is.managedConfig = new NotFound<>()),
                row(check, WARNING, "administrator", is -> is.managedConfig = new Failure<>("no")),
                row(
                        check,
                        FAILED,
                        "writer ''",
                        is -> is.managedConfig =
                                new Value<>(new ManagedConfig(List.of("gpu.example.com"), List.of("mig"), ""))),
                row(
                        check,
                        FAILED,
                        "devices of nic.example.com, which is not in the drivers of ConfigMap claimstream/claimstream-managed",
                        is -> is.allocatedDrivers = new Value<>(List.of("gpu.example.com", "nic.example.com"))),
                row(check, WARNING, "administrator", is -> is.allocatedDrivers = new Failure<>("no")),
                row(
                        check,
                        FAILED,
                        "classes ''",
                        is -> is.managedConfig = new Value<>(new ManagedConfig(List.of("d"), List.of(), "w"))),
                row(
                        classes,
                        WARNING,
                        "DeviceClass mig does not exist",
                        is -> is.classes = new Value<>(new TreeMap<>(Map.of("gpu.example.com", Optional.empty())))),
                row(
                        classes,
                        WARNING,
                        "DeviceClasses gpu.example.com, mig do not exist: their claims stay pending",
                        is -> is.classes = new Value<>(new TreeMap<>())),
                row(
                        classes,
                        WARNING,
                        "did you mean gpu.exmaple.com instead of gpu.example.com? Correct it in the ConfigMap",
                        is -> is.classes = new Value<>(
                                new TreeMap<>(Map.of("gpu.exmaple.com", Optional.empty(), "mig", Optional.empty())))),
                row(
                        drivers,
                        WARNING,
                        "no ResourceSlice of driver gpu.example.com: no device of it can be allocated",
                        is -> is.drivers = new Value<>(List.of("other"))),
                row(
                        drivers,
                        WARNING,
                        "did you mean gpu.exmaple.com instead of gpu.example.com? Correct it in the ConfigMap",
                        is -> is.drivers = new Value<>(List.of("gpu.exmaple.com"))),
                row(drivers, WARNING, "check that the pods of the driver run", is -> {
                    is.classes = new Value<>(new TreeMap<>());
                    is.drivers = new Value<>(List.of());
                }),
                row(drivers, WARNING, "see managed configuration", is -> is.managedConfig = new Failure<>("no")),
                row(drivers, WARNING, "administrator", is -> is.drivers = new Failure<>("no")),
                row(classes, WARNING, "administrator", is -> is.classes = new Failure<>("no")),
                row(
                        "extended resource names",
                        FAILED,
                        "kubectl patch deviceclass mig",
                        is -> is.classes = new Value<>(new TreeMap<>(
                                Map.of("gpu.example.com", Optional.empty(), "mig", Optional.of("a/b"))))));
    }

    private static List<DiagnosisCase> policies() {
        String gate = "policy claimstream-gate";
        String writer = "policy claimstream-single-writer";
        AdmissionPolicy single = AdmissionPolicy.SINGLE_WRITER;
        return List.of(
                row(
                        gate,
                        FAILED,
                        "deploy/policies/gate.yaml",
                        is -> is.policies.put(
                                AdmissionPolicy.GATE,
                                new PolicyFacts(new NotFound<>(), new Value<>(List.of()), List.of()))),
                row(
                        gate,
                        FAILED,
                        "no binding",
                        is -> is.policies.put(
                                AdmissionPolicy.GATE,
                                new PolicyFacts(new Value<>("Fail"), new Value<>(List.of()), List.of()))),
                row(
                        gate,
                        FAILED,
                        "does not change a thing",
                        is -> is.setDryRunResult(AdmissionPolicy.GATE, ExpectedEffect.MUTATED, ADMITTED_RESPONSE)),
                row(
                        gate,
                        FAILED,
                        "changes a thing",
                        is -> is.setDryRunResult(AdmissionPolicy.GATE, ExpectedEffect.UNCHANGED, MUTATED_RESPONSE)),
                row(
                        gate,
                        WARNING,
                        "administrator",
                        is -> is.setDryRunResult(AdmissionPolicy.GATE, ExpectedEffect.MUTATED, FORBIDDEN)),
                row(
                        gate,
                        WARNING,
                        "label one",
                        is -> is.setDryRunResult(
                                AdmissionPolicy.GATE,
                                ExpectedEffect.MUTATED,
                                new Skipped("none is managed", "label one"))),
                row(
                        writer,
                        FAILED,
                        "has the action Audit instead of Deny",
                        is -> is.policies.put(
                                single,
                                new PolicyFacts(
                                        new Value<>("Fail"),
                                        new Value<>(List.of(new PolicyBinding("b", List.of("Audit")))),
                                        List.of()))),
                row(
                        writer,
                        FAILED,
                        "admits a thing",
                        is -> is.setDryRunResult(single, ExpectedEffect.REJECTED, ADMITTED_RESPONSE)),
                row(
                        writer,
                        FAILED,
                        "admits a thing",
                        is -> is.setDryRunResult(
                                single, ExpectedEffect.REJECTED, new Response(409, "already exists", List.of()))),
                row(
                        writer,
                        WARNING,
                        "not checked",
                        is -> is.setDryRunResult(single, ExpectedEffect.REJECTED, FORBIDDEN)),
                row(
                        writer,
                        WARNING,
                        "returned 422",
                        is -> is.setDryRunResult(
                                single,
                                ExpectedEffect.ADMITTED,
                                HealthyClusterFacts.rejection(AdmissionPolicy.NO_MIXED_CLAIMS))),
                row(
                        writer,
                        FAILED,
                        "rejects a thing",
                        is -> is.setDryRunResult(
                                single, ExpectedEffect.ADMITTED, HealthyClusterFacts.rejection(single))),
                row(
                        writer,
                        OK,
                        "rejects a thing",
                        is -> is.setDryRunResult(
                                single, ExpectedEffect.REJECTED, HealthyClusterFacts.rejection(single))),
                row(
                        writer,
                        WARNING,
                        "failurePolicy is Ignore",
                        is -> is.policies.put(
                                single,
                                new PolicyFacts(
                                        new Value<>("Ignore"),
                                        new Value<>(List.of(new PolicyBinding("b", List.of("Deny")))),
                                        List.of()))),
                row(
                        writer,
                        WARNING,
                        "works; forbidden",
                        is -> is.policies.put(
                                single,
                                new PolicyFacts(new Failure<>("forbidden"), new Failure<>("forbidden"), List.of()))));
    }

    private static List<DiagnosisCase> rights() {
        WriterFacts all = new HealthyClusterFacts().writer;
        return List.of(
                row(
                        "permissions of the writer",
                        FAILED,
                        "lacks get nodes",
                        is -> is.writer = new WriterFacts(
                                DENIED, all.hasBindingPermission(), all.allocationWrite(), all.watcherPermissions())),
                row(
                        "permissions of the writer",
                        WARNING,
                        "administrator",
                        is -> is.writer = new WriterFacts(
                                new Failure<>("may not impersonate"),
                                all.hasBindingPermission(),
                                all.allocationWrite(),
                                all.watcherPermissions())),
                row(
                        "permission to bind",
                        FAILED,
                        "ClusterRoleBinding",
                        is -> is.writer = new WriterFacts(
                                all.permissions(),
                                new Value<>(false),
                                all.allocationWrite(),
                                all.watcherPermissions())),
                row(
                        "status of a claim",
                        WARNING,
                        "--make-claim",
                        is -> is.writer = new WriterFacts(
                                all.permissions(),
                                all.hasBindingPermission(),
                                new Skipped("no claim", "use --make-claim"),
                                all.watcherPermissions())),
                row(
                        "status of a claim",
                        WARNING,
                        "administrator",
                        is -> is.writer = new WriterFacts(
                                all.permissions(),
                                all.hasBindingPermission(),
                                new Response(
                                        403,
                                        "User \"doctor\" cannot impersonate-on:serviceaccount:patch resourceclaims/status",
                                        List.of()),
                                all.watcherPermissions())),
                row(
                        "status of a claim",
                        FAILED,
                        "name the writer",
                        is -> is.writer = new WriterFacts(
                                all.permissions(),
                                all.hasBindingPermission(),
                                HealthyClusterFacts.rejection(AdmissionPolicy.SINGLE_WRITER),
                                all.watcherPermissions())),
                row(
                        "status of a claim",
                        FAILED,
                        "claimstream.yaml",
                        is -> is.writer = new WriterFacts(
                                all.permissions(),
                                all.hasBindingPermission(),
                                new Response(422, "no params found for policy binding", List.of()),
                                all.watcherPermissions())),
                row(
                        "log lease",
                        WARNING,
                        "it has expired",
                        is -> is.logLease = new Value<>(new ClusterFacts.LogLeaseFacts(
                                "log-1", Duration.ofSeconds(60), Duration.ofSeconds(15)))),
                row("log lease", OK, "no log has written", is -> is.logLease = new NotFound<>()),
                row("log lease", WARNING, "administrator", is -> is.logLease = new Failure<>("forbidden")),
                row(
                        "policy claimstream-writer-pods",
                        FAILED,
                        "deploy/policies/writer-pods.yaml",
                        is -> is.setDryRunResult(
                                AdmissionPolicy.WRITER_PODS, ExpectedEffect.REJECTED, ADMITTED_RESPONSE)),
                row("permissions of the watcher", FAILED, "rights-of-the-watcher", is -> is.watcher = DENIED),
                row(
                        "permissions of one process",
                        OK,
                        "are two users",
                        is -> is.writer = new WriterFacts(
                                all.permissions(), all.hasBindingPermission(), all.allocationWrite(), DENIED)),
                row("permissions of one process", FAILED, "deploy/policies/one-process", is -> {
                    is.user = HealthyClusterFacts.WRITER;
                    is.writer = new WriterFacts(
                            all.permissions(), all.hasBindingPermission(), all.allocationWrite(), DENIED);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void findingFollowsFromChangedFact(DiagnosisCase row) {
        var changed = new HealthyClusterFacts();
        row.change.accept(changed);
        List<DoctorFinding> found = ClusterDiagnosis.of(changed.facts());
        assertThat(found)
                .filteredOn(each -> each.check().equals(row.check))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.status()).as(each.toString()).isEqualTo(row.expectedStatus);
                    assertThat(each.observation() + " " + each.remedy()).contains(row.expectedText);
                });
    }

    @Test
    void everyCheckIsOkOnceInHealthyCluster() {
        List<DoctorFinding> found = ClusterDiagnosis.of(new HealthyClusterFacts().facts());
        assertThat(found)
                .allSatisfy(
                        each -> assertThat(each.status()).as(each.toString()).isEqualTo(OK));
        assertThat(found.stream().map(DoctorFinding::check)).doesNotHaveDuplicates();
        assertThat(found).hasSize(2 + 3 + 4 + AdmissionPolicy.values().length + 6);
    }

    /** One changed fact must not fail another check. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void changedFactFailsNoOtherCheck(DiagnosisCase row) {
        var changed = new HealthyClusterFacts();
        row.change.accept(changed);
        List<String> failed = ClusterDiagnosis.of(changed.facts()).stream()
                .filter(each -> each.status() == FAILED)
                .map(DoctorFinding::check)
                .collect(Collectors.toList());
        assertThat(failed).isSubsetOf(row.check);
    }

    @Test
    void policyIsOkWhenServerDropsItsField() {
        var is = new HealthyClusterFacts();
        is.gates.put(Feature.EXTENDED_RESOURCE, ADMITTED_RESPONSE);
        is.setDryRunResult(AdmissionPolicy.NO_EXTENDED_RESOURCE_NAMES, ExpectedEffect.REJECTED, ADMITTED_RESPONSE);
        assertThat(ClusterDiagnosis.of(is.facts()))
                .filteredOn(each -> each.check().endsWith("no-extended-resource-names"))
                .singleElement()
                .satisfies(each -> assertThat(each.status()).isEqualTo(OK));
    }

    @Test
    void failedFindingRequiresRemedy() {
        assertThatThrownBy(() -> new DoctorFinding("clock", FAILED, "late", "")).hasMessageContaining("clock");
        assertThatThrownBy(() -> new DoctorFinding("clock", OK, "exact", "hurry"))
                .hasMessageContaining("hurry");
    }
}
