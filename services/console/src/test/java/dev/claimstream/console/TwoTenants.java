package dev.claimstream.console;

import dev.claimstream.allocation.cell.Comparison;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** A cluster with objects of two namespaces. Every name of the second one contains {@link #SECRET}. */
final class TwoTenants {
    /** A namespace whose user is tested. */
    static final String OWN = "team-a";

    /** A part of all names of the other namespace. */
    static final String SECRET = "zeta";

    static final String OTHER = SECRET + "-team";

    private static final List<String> ACCEPT = List.of("application/json", "application/x-ndjson", "text/plain");

    final SmallCluster cluster = SmallCluster.ofOneNode();
    private long number = 1_000;

    /** Creates a cluster in which the claim {@code own} of the own namespace waits for devices of the other. */
    static TwoTenants create() {
        var tenants = new TwoTenants();
        tenants.allocate(OTHER, SECRET + "-held", "gpu-0");
        tenants.allocate(OWN, "running", "gpu-1");
        tenants.setPending(OTHER, SECRET + "-first");
        tenants.setPending(OWN, "own");
        tenants.compare(OTHER, SECRET + "-held");
        tenants.compare(OWN, "running");
        return tenants;
    }

    /** Creates a cluster with random claims of both namespaces. */
    static TwoTenants random(long seed) {
        var random = new SplittableRandom(seed);
        TwoTenants tenants = create();
        for (int i = 0; i < 12; i++) {
            boolean isOwn = random.nextBoolean();
            String namespace = isOwn ? OWN : OTHER;
            String name = (isOwn ? "own-" : SECRET + "-") + i;
            switch (random.nextInt(3)) {
                case 0 -> tenants.allocate(namespace, name, random.nextBoolean() ? "gpu-0" : "gpu-1");
                case 1 -> tenants.setPending(namespace, name);
                default -> tenants.cluster.upsert(claim(namespace, name));
            }
            if (random.nextBoolean()) {
                tenants.compare(namespace, name);
            }
        }
        return tenants;
    }

    private static String claim(String namespace, String name) {
        return SmallCluster.claim(name).replace("namespace: default", "namespace: " + namespace);
    }

    private static String pod(String namespace, String name) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: %2$s, uid: pod-%1$s, creationTimestamp: "2025-12-31T23:55:00Z"}
                spec:
                  resourceClaims: [{name: gpu, resourceClaimName: %1$s}]
                  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
                """.formatted(name, namespace);
    }

    void allocate(String namespace, String name, String device) {
        cluster.upsert(claim(namespace, name));
        var item = ItemId.claim(new ObjectKey(namespace, name));
        decide(item, new Decision.DecisionResult.Allocated("node-1", SmallCluster.allocation(device), List.of()));
    }

    /** The claim, used by a pod, waits for a device of the other namespace. */
    void setPending(String namespace, String name) {
        cluster.upsert(claim(namespace, name));
        cluster.upsert(pod(namespace, name));
        var key = new ObjectKey(namespace, name);
        var holder = new AllocationPlan.DeviceHolder(
                new ObjectKey(OTHER, SECRET + "-held"), "used by pod %s/%s-pod and 1 more".formatted(OTHER, SECRET));
        var gpu = new DeviceId("gpu.example.com", "node-1", "gpu-0");
        String message = "node node-1: gpu-0 is allocated to " + holder;
        ItemId item = ItemId.pod(key);
        cluster.view.applyDecision(
                new Decision(
                        key, name, ++number, item, new Decision.DecisionResult.Pending(Reason.DevicesInUse, message)),
                SmallCluster.AT);
        cluster.view.applyExplanation(new Explanation(
                item,
                List.of(key),
                9,
                new Explanation.ExplanationDetail.Pending(
                        new AllocationPlan.PendingDiagnosis(
                                Reason.DevicesInUse,
                                message,
                                Optional.of(new AllocationPlan.NearestNode(
                                        "node-1",
                                        message,
                                        List.of(new AllocationPlan.BlockingDevice(gpu, List.of(holder)))))),
                        List.of())));
    }

    private void decide(ItemId item, Decision.DecisionResult result) {
        cluster.view.applyDecision(
                new Decision(item.key(), item.key().name(), ++number, item, result), SmallCluster.AT);
    }

    private void compare(String namespace, String name) {
        var key = new ObjectKey(namespace, name);
        var devices = new TreeSet<>(List.of(new DeviceId("gpu.example.com", "node-1", "gpu-0")));
        cluster.view.applyComparison(new Comparison(
                key,
                name,
                ItemId.claim(key),
                Optional.of(SmallCluster.AT),
                Optional.of(new Comparison.ComparedAllocation("node-1", devices, SmallCluster.AT)),
                Optional.empty(),
                Optional.empty()));
    }

    /** Returns a path of a route for an object of a namespace. */
    static String path(String route, String namespace, String name) {
        return route.substring(route.indexOf(' ') + 1)
                .replace("{namespace}", namespace)
                .replace("{name}", name)
                .replace("{kind}", "claim")
                .replace("{subject}", "claims.v1")
                .replace("{version}", "1");
    }

    /** Returns the headers and bodies of all routes that are no streams, for a user of the own namespace. */
    static List<String> answers(RunningConsole console, String token) throws IOException, InterruptedException {
        List<String> answers = new ArrayList<>();
        for (String route : ConsoleRoutes.ROUTES.rules().keySet()) {
            if (!route.startsWith("GET ") || route.contains("/live") || route.contains("/watch/")) {
                continue;
            }
            for (String type : ACCEPT) {
                HttpResponse<String> response =
                        console.get(path(route, OWN, "own"), "Authorization", "Bearer " + token, "Accept", type);
                answers.add("%s %s %d %s %s"
                        .formatted(
                                route,
                                type,
                                response.statusCode(),
                                response.headers().map(),
                                response.body()));
            }
        }
        return answers;
    }
}
