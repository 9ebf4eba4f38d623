package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.PODS;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.LogProgress;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch.WatchListener;
import dev.claimstream.kubernetes.EventRecorder.EventTarget;
import dev.claimstream.kubernetes.EventRecorder.KubernetesEvent;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.UserIdentity;
import dev.claimstream.kubernetes.api.AllocationHandover;
import dev.claimstream.kubernetes.api.AllocationHandover.ServiceWorkload;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiAccessReviewer;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiClusterExamination;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.api.CandidateLog;
import dev.claimstream.kubernetes.api.CompetingLogException;
import dev.claimstream.kubernetes.api.PolicyRequirement;
import dev.claimstream.kubernetes.doctor.ClusterDiagnosis;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/**
 * The operations that need the permissions of the service accounts, by the code of the services.
 *
 * <p>Each returns the text that an operator gets: empty if the operation works, else the error.
 */
final class AccountProofs {
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/claimstream/leases/claimstream-log";
    private static final String NAMESPACE = "default";
    private static final long WATCH_MS = 300;
    private static final Allocation GPU = new Allocation(
            List.of(DeviceResult.of("gpu", new DeviceId(ClaimManifests.DRIVER, "node-0000", "gpu-0"))),
            List.of(),
            Optional.empty(),
            Optional.of(Instant.parse(ClaimManifests.TIME)));

    private final ControlPlane plane;
    private final RawApiClient admin;
    private int count;

    AccountProofs(ControlPlane plane, RawApiClient admin) {
        this.plane = plane;
        this.admin = admin;
    }

    /** Runs the operation that needs the permission. */
    String error(AccountPermission permission) {
        String what = permission.verb() + " " + permission.resource();
        return switch (permission.account()) {
            case "watcher" -> watcher(permission, what);
            case "writer" -> writer(what);
            case "removal" -> removal(what);
            case "doctor" -> doctor(permission);
            case "access" -> access(what);
            default -> throw unknown(permission.account() + " " + what);
        };
    }

    private static AssertionError unknown(String what) {
        return new AssertionError(
                "no operation needs '%s': remove the permission from the chart, or add the operation here"
                        .formatted(what));
    }

    private interface ClusterCall {
        String run(ApiCluster cluster);
    }

    private String as(ControlPlaneUser user, PolicyRequirement requirement, ClusterCall task) {
        try (var cluster = ApiCluster.open(
                ApiAccess.of(plane.kubeconfig(user), Optional.empty()), ApiScope.CONFIGURED, requirement)) {
            return task.run(cluster);
        } catch (ClusterFault | CompetingLogException e) {
            return String.valueOf(e.getMessage());
        }
    }

    // ---- watcher

    private String watcher(AccountPermission permission, String what) {
        return switch (what) {
            case "get namespaces" ->
                as(ControlPlaneUser.WATCHER, PolicyRequirement.NONE, cluster -> none(cluster.clusterId()));
            case "get configmaps" ->
                as(ControlPlaneUser.WATCHER, PolicyRequirement.NONE, cluster -> none(cluster.list(Kind.DEVICE_CLASS)));
            case "get validatingadmissionpolicies.admissionregistration.k8s.io",
                    "get validatingadmissionpolicybindings.admissionregistration.k8s.io" -> readPolicy();
            default -> {
                Kind kind = kind(permission.resource()).orElseThrow(() -> unknown("watcher " + what));
                yield permission.verb().equals("list")
                        ? as(ControlPlaneUser.WATCHER, PolicyRequirement.NONE, cluster -> none(cluster.list(kind)))
                        : as(ControlPlaneUser.WATCHER, PolicyRequirement.NONE, cluster -> watch(cluster, kind));
            }
        };
    }

    /** A policy that a watcher sees for the first time was read; claims are listed some seconds later. */
    private String readPolicy() {
        String error = as(
                ControlPlaneUser.WATCHER,
                PolicyRequirement.SINGLE_WRITER,
                cluster -> none(cluster.list(Kind.RESOURCE_CLAIM)));
        return error.contains("was not seen before") ? "" : error;
    }

    private static Optional<Kind> kind(String resource) {
        String plain = resource.contains(".") ? resource.substring(0, resource.indexOf('.')) : resource;
        return Arrays.stream(Kind.values())
                .filter(each -> plain.equals(plural(each.apiName().toLowerCase(Locale.ROOT))))
                .findFirst();
    }

    private static String plural(String name) {
        return name.endsWith("s") ? name + "es" : name + "s";
    }

    private static String none(Object result) {
        return result == null ? "no result" : "";
    }

    /** A watch that does not end soon has been accepted. */
    private static String watch(ApiCluster cluster, Kind kind) {
        var end = new CompletableFuture<String>();
        long version = cluster.list(kind).version();
        try (var _ = cluster.watch(kind, version, new WatchListener() {
            @Override
            public void onUpsert(VersionedObject object) {}

            @Override
            public void onDelete(VersionedObject object) {}

            @Override
            public void onEnd(String reason) {
                end.complete(reason);
            }
        })) {
            return end.get(WATCH_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return "";
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    // ---- writer

    private String writer(String what) {
        return switch (what) {
            case "get configmaps" ->
                asWriter(cluster ->
                        none(cluster.isManaged((ResourceClaim) claim(cluster).object())));
            case "get resourceclaims.resource.k8s.io" -> asWriter(cluster -> none(claim(cluster)));
            case "patch resourceclaims.resource.k8s.io" ->
                asWriter(cluster -> {
                    VersionedObject claim = claim(cluster);
                    return text(
                            cluster.write(StatusChange.invalidateDecisions(key(claim), uid(claim), claim.version())));
                });
            case "patch resourceclaims/status.resource.k8s.io", "patch resourceclaims/binding.resource.k8s.io" ->
                asWriter(cluster -> {
                    VersionedObject claim = claim(cluster);
                    return text(cluster.write(
                            StatusChange.allocate(key(claim), uid(claim), claim.version(), GPU, List.of())));
                });
            case "get deviceclasses.resource.k8s.io" -> asWriter(cluster -> none(cluster.readClass("gpu.example.com")));
            case "get pods" -> asWriter(cluster -> none(pod(cluster)));
            case "list pods" -> asWriter(cluster -> none(cluster.listPods(NAMESPACE)));
            case "patch pods" -> asWriter(cluster -> text(cluster.removeGate(pod(cluster), Optional.empty())));
            case "create events.events.k8s.io" -> asWriter(this::emit);
            case "get leases.coordination.k8s.io" -> asWriter(this::acquireLease);
            case "update leases.coordination.k8s.io" ->
                asWriter(this::acquireLease); // the lease exists since the first acquisition
            case "create leases.coordination.k8s.io" -> {
                admin.delete(LEASES);
                yield asWriter(this::acquireLease);
            }
            default -> throw unknown("writer " + what);
        };
    }

    private String asWriter(ClusterCall task) {
        return as(ControlPlaneUser.WRITER, PolicyRequirement.NONE, task);
    }

    private String acquireLease(ApiCluster cluster) {
        cluster.acquireLease(new CandidateLog("log-1", false, "test", LogProgress.NONE));
        return cluster.writeBlocker().orElse("");
    }

    private VersionedObject claim(ApiCluster cluster) {
        String name = "permission-" + ++count;
        admin.createOrThrow(CLAIMS, ClaimManifests.claim(name));
        return cluster.read(new ObjectKey(NAMESPACE, name)).orElseThrow();
    }

    private static ObjectKey key(VersionedObject claim) {
        return new ObjectKey(
                claim.object().meta().namespace(), claim.object().meta().name());
    }

    private static String uid(VersionedObject claim) {
        return claim.object().meta().uid();
    }

    private GatedPod pod(ApiCluster cluster) {
        String name = "permission-" + ++count;
        admin.createOrThrow(PODS, ClaimManifests.pod(name, "1m").replace("spec:", """
                spec:
                  schedulingGates: [{name: claimstream.dev/allocation}]"""));
        return cluster.readPod(new ObjectKey(NAMESPACE, name)).orElseThrow();
    }

    private static String text(WriteResult result) {
        return switch (result) {
            case WriteResult.Success _, WriteResult.SuccessWithDifferences _ -> "";
            case WriteResult.Forbidden(String message, String remedy) -> message + ": " + remedy;
            case WriteResult.Conflict _,
                    WriteResult.NotFound _,
                    WriteResult.Rejected _,
                    WriteResult.TooManyRequests _,
                    WriteResult.Unknown _ -> result.toString();
        };
    }

    /** A rejected Event is a line in the log. */
    private String emit(ApiCluster cluster) {
        String name = "permission-" + ++count;
        admin.createOrThrow(CLAIMS, ClaimManifests.claim(name));
        var log = (Logger) LoggerFactory.getLogger("dev.claimstream.kubernetes.api.ApiEventRecorder");
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        log.addAppender(lines);
        try {
            var key = new ObjectKey(NAMESPACE, name);
            boolean isHandled = cluster.emit(
                    new KubernetesEvent(name, EventTarget.CLAIM, key, Optional.of(key), "NoDevices", "pending"));
            return lines.list.stream()
                            .flatMap(each -> each.getKeyValuePairs().stream())
                            .map(each -> String.valueOf(each.value))
                            .collect(Collectors.joining())
                    + (isHandled ? "" : "not handled");
        } finally {
            log.detachAppender(lines);
        }
    }

    // ---- Job of the removal

    private String removal(String what) {
        var allocator = ServiceWorkload.parse("claimstream", "statefulset/claimstream-allocator");
        var writer = ServiceWorkload.parse("claimstream", "deployment/claimstream-writer");
        return switch (what) {
            case "delete mutatingadmissionpolicybindings.admissionregistration.k8s.io" ->
                handOver(handover -> handover.deleteGateBinding());
            case "delete validatingadmissionpolicybindings.admissionregistration.k8s.io" ->
                handOver(handover -> handover.deleteWriterBinding());
            case "list pods" -> handOver(handover -> handover.removeGates());
            case "patch pods" -> {
                as(ControlPlaneUser.ADMIN, PolicyRequirement.NONE, cluster -> none(pod(cluster)));
                yield handOver(handover -> handover.removeGates());
            }
            case "get statefulsets.apps" -> handOver(handover -> handover.running(allocator));
            case "patch statefulsets.apps" -> handOver(handover -> handover.scaleToZero(allocator));
            case "get deployments.apps" -> handOver(handover -> handover.running(writer));
            case "patch deployments.apps" -> handOver(handover -> handover.scaleToZero(writer));
            default -> throw unknown("removal " + what);
        };
    }

    private String handOver(Function<AllocationHandover, Object> step) {
        try (var handover =
                AllocationHandover.open(ApiAccess.of(plane.kubeconfig(ControlPlaneUser.USER), Optional.empty()))) {
            return none(step.apply(handover));
        } catch (ClusterFault e) {
            return String.valueOf(e.getMessage());
        }
    }

    // ---- services that answer users

    private String access(String what) {
        try (var reviewer =
                ApiAccessReviewer.open(ApiAccess.of(plane.kubeconfig(ControlPlaneUser.WATCHER), Optional.empty()))) {
            return switch (what) {
                case "create tokenreviews.authentication.k8s.io" -> none(reviewer.authenticate("unknown"));
                case "create subjectaccessreviews.authorization.k8s.io" ->
                    none(reviewer.isAllowed(
                            new UserIdentity("tenant", "", List.of(), Map.of()), AccessPermission.AUDIT, ""));
                default -> throw unknown("access " + what);
            };
        } catch (ClusterFault e) {
            return String.valueOf(e.getMessage());
        }
    }

    // ---- doctor in "helm test"

    /** Without the permission, a finding has the denial. Dry runs of an administrator are denied in any case. */
    private String doctor(AccountPermission permission) {
        String plain = permission.resource().replaceFirst("\\..*", "");
        return ClusterDiagnosis.of(ApiClusterExamination.of(
                        ApiAccess.of(plane.kubeconfig(ControlPlaneUser.USER), Optional.empty()),
                        false,
                        InstantSource.system(),
                        _ -> {}))
                .stream()
                .map(each -> each.observation())
                .filter(each -> each.contains("cannot %s resource \"%s\"".formatted(permission.verb(), plain)))
                .findFirst()
                .orElse("");
    }
}
