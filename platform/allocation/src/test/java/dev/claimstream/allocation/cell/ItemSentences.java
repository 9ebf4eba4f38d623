package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Defines the story sentences on claims, pods, groups and commit outcomes. */
final class ItemSentences {
    private final CellFixture stage;

    private ItemSentences(CellFixture stage) {
        this.stage = stage;
    }

    static void addTo(Sentences sentences, CellFixture stage) {
        var definitions = new ItemSentences(stage);
        definitions.defineClaims(sentences);
        definitions.defineCommits(sentences);
        definitions.definePods(sentences);
    }

    private void defineClaims(Sentences sentences) {
        sentences.define("claim NAME requests TEXT", match -> {
            stage.apiServer.write(
                    new ResourceClaim(newMeta(match.group(1)), parseSpec(match.group(2)), Optional.empty(), List.of()));
        });
        sentences.define(
                "NUMBER claims NAME request TEXT",
                match -> IntStream.range(0, Integer.parseInt(match.group(1)))
                        .forEach(i -> stage.apiServer.write(new ResourceClaim(
                                newMeta(match.group(2) + "-" + i),
                                parseSpec(match.group(3)),
                                Optional.empty(),
                                List.of()))));
        sentences.define(
                "source NAME upserts claim NAME that requests TEXT",
                match -> stage.observe(new Observation.ObjectUpserted(
                        new Stamp(match.group(1), 1, 1),
                        new ResourceClaim(
                                newMeta(match.group(2)), parseSpec(match.group(3)), Optional.empty(), List.of()))));
        sentences.define(
                "the last upsert of claim NAME arrives again",
                match -> stage.repeatLast(Kind.RESOURCE_CLAIM, CellFixture.key(match.group(1))));
        sentences.define("claim NAME changes", match -> stage.apiServer.write(stage.claim(match.group(1))));
        sentences.define("claim NAME is terminating", match -> {
            ResourceClaim claim = stage.claim(match.group(1));
            stage.apiServer.write(new ResourceClaim(
                    withDeletion(claim.meta()), claim.spec(), claim.allocation(), claim.reservedFor()));
        });
        sentences.define(
                "claim NAME is deleted",
                match -> stage.apiServer.delete(Kind.RESOURCE_CLAIM, CellFixture.key(match.group(1)), true));
        sentences.define(
                "claim NAME is deleted without a watch event",
                match -> stage.apiServer.delete(Kind.RESOURCE_CLAIM, CellFixture.key(match.group(1)), false));
    }

    private void defineCommits(Sentences sentences) {
        sentences.define("the API server stores the allocation of claim NAME", match -> {
            ClaimRow.AllocationRow allocationRow =
                    stage.decidedAllocation(match.group(1)).orElseThrow();
            allocate(match.group(1), Optional.of(allocationRow.allocation()), allocationRow.reservedFor());
        });
        sentences.define("the writer commits the allocation of claim NAME", match -> commit(match.group(1)));
        sentences.define("the API server rejects the allocation of claim NAME", match -> reject(match.group(1), 0));
        sentences.define(
                "the API server rejects the allocation of claim NAME for claim versions up to \\+NUMBER",
                match -> reject(match.group(1), versionAfter(match.group(2))));
        sentences.define(
                "the writer reports decision NUMBER on claim NAME as (committed|rejected)"
                        + "(?: for claim versions up to \\+NUMBER)?",
                match -> stage.observe(new Observation.CommitOutcome(
                        stage.claim(match.group(2)).meta().uid(),
                        Long.parseLong(match.group(1)),
                        match.group(3).equals("rejected")
                                ? Observation.CommitOutcome.Result.REJECTED
                                : Observation.CommitOutcome.Result.COMMITTED,
                        "",
                        Optional.ofNullable(match.group(4))
                                .map(this::versionAfter)
                                .orElse(0L))));
        sentences.define(
                "claim NAME loses its allocation", match -> allocate(match.group(1), Optional.empty(), List.of()));
        sentences.define(
                "kube-scheduler allocates NAME/NAME to claim NAME",
                match -> allocate(
                        match.group(3), Optional.of(unmanagedAllocation(match.group(1), match.group(2))), List.of()));
        sentences.define(
                "kube-scheduler allocates NAME/NAME to claim NAME for pod NAME",
                match -> allocate(
                        match.group(3),
                        Optional.of(unmanagedAllocation(match.group(1), match.group(2))),
                        List.of(consumer(match.group(4)))));
    }

    private void commit(String claim) {
        ClaimRow.AllocationRow allocationRow = stage.decidedAllocation(claim).orElseThrow();
        stage.observe(new Observation.CommitOutcome(
                allocationRow.claimUid(), allocationRow.number(), Observation.CommitOutcome.Result.COMMITTED, "", 0));
    }

    private void reject(String claim, long version) {
        stage.observe(new Observation.CommitOutcome(
                stage.claim(claim).meta().uid(),
                stage.decidedAllocation(claim).orElseThrow().number(),
                Observation.CommitOutcome.Result.REJECTED,
                "a policy forbids it",
                version));
    }

    /** The resourceVersion after a number of further changes: {@code +NUMBER} in a sentence. */
    private long versionAfter(String changes) {
        return stage.apiServer.version() + Long.parseLong(changes);
    }

    private ClaimConsumer consumer(String pod) {
        return ClaimConsumer.pod(pod, stage.pod(pod).meta().uid());
    }

    private static Allocation unmanagedAllocation(String node, String device) {
        return new Allocation(
                List.of(DeviceResult.of("r0", new DeviceId(SampleObjects.DRIVER, node, device))),
                List.of(),
                Optional.of(NodeSelector.ofNode(node)),
                Optional.empty());
    }

    private void allocate(String name, Optional<Allocation> allocation, List<ClaimConsumer> consumers) {
        ResourceClaim claim = stage.claim(name);
        stage.apiServer.write(new ResourceClaim(claim.meta(), claim.spec(), allocation, consumers));
    }

    private void definePods(Sentences sentences) {
        sentences.define(
                "(gated )?pod NAME(?: of group NAME)?(?: with priority NUMBER)?(?: on NAME)?(?: requesting TEXT)? uses TEXT",
                match -> writePod(
                        match.group(2),
                        Optional.ofNullable(match.group(3)),
                        Optional.ofNullable(match.group(4))
                                .map(Integer::parseInt)
                                .orElse(0),
                        true,
                        Optional.ofNullable(match.group(5)),
                        Optional.ofNullable(match.group(6))
                                .map(ItemSentences::parseResources)
                                .orElse(ResourceList.none()),
                        new TreeMap<>(),
                        parsePodClaims(match.group(7)),
                        match.group(1) == null ? List.of() : List.of(Pod.ALLOCATION_GATE)));
        sentences.define(
                "pod NAME(?: of group NAME)? with gates TEXT uses TEXT",
                match -> writePod(
                        match.group(1),
                        Optional.ofNullable(match.group(2)),
                        0,
                        true,
                        Optional.empty(),
                        ResourceList.none(),
                        new TreeMap<>(),
                        parsePodClaims(match.group(4)),
                        List.of(match.group(3).split(" and ", -1))));
        sentences.define("pod NAME loses gate TEXT", match -> removeGate(stage.pod(match.group(1)), match.group(2)));
        sentences.define(
                "pod NAME requests TEXT at pod level and uses TEXT",
                match -> writePod(
                        match.group(1),
                        Optional.empty(),
                        0,
                        true,
                        Optional.empty(),
                        parseResources(match.group(2)),
                        parseResources(match.group(2)).amounts(),
                        parsePodClaims(match.group(3)),
                        List.of()));
        sentences.define(
                "pod NAME requesting TEXT runs on NAME",
                match -> writePod(
                        match.group(1),
                        Optional.empty(),
                        0,
                        true,
                        Optional.of(match.group(3)),
                        parseResources(match.group(2)),
                        new TreeMap<>(),
                        List.of(),
                        List.of()));
        sentences.define(
                "pod NAME with priority NUMBER requesting TEXT runs on NAME",
                match -> writePod(
                        match.group(1),
                        Optional.empty(),
                        Integer.parseInt(match.group(2)),
                        true,
                        Optional.of(match.group(4)),
                        parseResources(match.group(3)),
                        new TreeMap<>(),
                        List.of(),
                        List.of()));
        sentences.define(
                "gated pod NAME with priority NUMBER and preemptionPolicy Never requesting TEXT uses TEXT",
                match -> writePod(
                        match.group(1),
                        Optional.empty(),
                        Integer.parseInt(match.group(2)),
                        false,
                        Optional.empty(),
                        parseResources(match.group(3)),
                        new TreeMap<>(),
                        parsePodClaims(match.group(4)),
                        List.of(Pod.ALLOCATION_GATE)));
        sentences.define("pod NAME is bound to NAME", match -> {
            Pod pod = stage.pod(match.group(1));
            write(pod, Optional.of(match.group(2)), pod.resourceClaims(), pod.phase());
        });
        sentences.define(
                "group NAME shares TEXT",
                match -> stage.apiServer.write(new PodGroup(newMeta(match.group(1)), parsePodClaims(match.group(2)))));
        sentences.define(
                "group NAME has minCount NUMBER",
                match -> stage.apiServer.write(
                        new PodGroup(newMeta(match.group(1)), Integer.parseInt(match.group(2)), List.of())));
        sentences.define(
                "group NAME is deleted",
                match -> stage.apiServer.delete(Kind.POD_GROUP, CellFixture.key(match.group(1)), true));
        sentences.define(
                "template NAME requests TEXT",
                match -> stage.apiServer.write(new ResourceClaimTemplate(
                        newMeta(match.group(1)), new TreeMap<>(), new TreeMap<>(), parseSpec(match.group(2)))));
        sentences.define("the resourceclaim controller creates the claims of pod NAME", match -> {
            Pod pod = stage.pod(match.group(1));
            createClaims(pod, Owner.pod(pod.meta().name(), pod.meta().uid()));
        });
        sentences.define(
                "the claims of pod NAME belong to pod NAME",
                match -> createClaims(stage.pod(match.group(1)), Owner.pod(match.group(2), "uid-" + match.group(2))));
        sentences.define(
                "the claims of pod NAME belong to group NAME",
                match -> createClaims(
                        stage.pod(match.group(1)), Owner.podGroup(match.group(2), "uid-" + match.group(2))));
        sentences.define(
                "the resourceclaim controller creates the claims of group NAME",
                match -> createClaims(podGroup(match.group(1))));
        sentences.define("pod NAME shares the claims of group NAME", match -> {
            Pod pod = stage.pod(match.group(1));
            List<PodClaim> shared = podGroup(match.group(2)).resourceClaims();
            write(pod, pod.nodeName(), shared, pod.phase());
        });
        sentences.define("pod NAME (succeeds|fails)", match -> {
            Pod pod = stage.pod(match.group(1));
            write(pod, pod.nodeName(), pod.resourceClaims(), match.group(2).equals("fails") ? "Failed" : "Succeeded");
        });
        sentences.define(
                "pod NAME is deleted",
                match -> stage.apiServer.delete(Kind.POD, CellFixture.key(match.group(1)), true));
    }

    /** Parses {@code claim a and claim b in 2 containers and template t}. */
    static List<PodClaim> parsePodClaims(String text) {
        List<PodClaim> podClaims = new ArrayList<>();
        for (String each : text.split(" and ", -1)) {
            String[] words = each.split(" ", 5);
            podClaims.add(new PodClaim(
                    "use-" + podClaims.size(),
                    words[0].equals("template")
                            ? new PodClaim.ClaimSource.TemplateReference(words[1])
                            : new PodClaim.ClaimSource.ClaimReference(words[1]),
                    words.length > 2 ? Integer.parseInt(words[3]) : 0));
        }
        return podClaims;
    }

    private PodGroup podGroup(String name) {
        return stage.apiServer
                .find(Kind.POD_GROUP, CellFixture.key(name), PodGroup.class)
                .orElseThrow(() -> new IllegalArgumentException("unknown group " + name));
    }

    private void createClaims(PodGroup group) {
        var owner = Owner.podGroup(group.meta().name(), group.meta().uid());
        stage.apiServer.write(
                group.withClaims(createFromTemplates(group.meta().name(), group.resourceClaims(), owner)));
    }

    private void createClaims(Pod pod, Owner owner) {
        write(pod, pod.nodeName(), createFromTemplates(pod.meta().name(), pod.resourceClaims(), owner), pod.phase());
    }

    private List<PodClaim> createFromTemplates(String user, List<PodClaim> entries, Owner owner) {
        List<PodClaim> podClaims = new ArrayList<>();
        for (PodClaim use : entries) {
            if (use.source() instanceof PodClaim.ClaimSource.TemplateReference from) {
                String name = user + "-" + use.name();
                ClaimSpec spec = stage.apiServer
                        .find(
                                Kind.RESOURCE_CLAIM_TEMPLATE,
                                CellFixture.key(from.template()),
                                ResourceClaimTemplate.class)
                        .orElseThrow()
                        .spec();
                stage.apiServer.write(
                        new ResourceClaim(newMeta(name).withController(owner), spec, Optional.empty(), List.of()));
                podClaims.add(use.withSource(new PodClaim.ClaimSource.GeneratedClaim(from.template(), name)));
            } else {
                podClaims.add(use);
            }
        }
        return podClaims;
    }

    private void writePod(
            String name,
            Optional<String> group,
            int priority,
            boolean preempts,
            Optional<String> node,
            ResourceList requests,
            SortedMap<String, Long> spare,
            List<PodClaim> podClaims,
            List<String> gates) {
        stage.apiServer.write(Pod.builder(newMeta(name))
                .nodeName(node)
                .priority(priority)
                .preempts(preempts)
                .resourceClaims(podClaims)
                .requests(requests)
                .spare(spare)
                .podGroup(group)
                .schedulingGates(gates)
                .build());
    }

    /** Parses {@code 2 cpu and 8 memory}. */
    static ResourceList parseResources(String text) {
        var amounts = new TreeMap<String, Long>();
        for (String each : text.split(" and ", -1)) {
            String[] words = each.split(" ", 2);
            amounts.put(words[1], ResourceList.units(words[1], Quantity.parse(words[0])));
        }
        return new ResourceList(amounts);
    }

    private void write(Pod pod, Optional<String> node, List<PodClaim> podClaims, String phase) {
        stage.apiServer.write(pod.toBuilder()
                .nodeName(node)
                .resourceClaims(podClaims)
                .finished(!phase.isEmpty())
                .phase(phase)
                .build());
    }

    private void removeGate(Pod pod, String gate) {
        stage.apiServer.write(pod.toBuilder()
                .schedulingGates(pod.schedulingGates().stream()
                        .filter(each -> !each.equals(gate))
                        .toList())
                .phase("")
                .build());
    }

    private ObjectMeta newMeta(String name) {
        return ObjectMeta.of(CellFixture.NAMESPACE, name, stage.apiServer.nextUid())
                .withCreated(stage.nextCreationTime());
    }

    static ObjectMeta withDeletion(ObjectMeta meta) {
        return meta.toBuilder().deleting(true).build();
    }

    /**
     * Parses a claim spec.
     *
     * <p>Examples: {@code 2 gpu and 1 nic with the same numa}, {@code 1 big or 4 small}, {@code all gpu},
     * {@code 1 gpu tolerating dead}, {@code 1 gpu with admin access}. Selectors are in brackets.
     */
    private static ClaimSpec parseSpec(String text) {
        String constraint = "";
        String requested = text;
        for (String word : List.of("the same", "distinct")) {
            int at = requested.indexOf(" with " + word + " ");
            if (at >= 0) {
                constraint = "; %s %s"
                        .formatted(
                                word.equals("the same") ? "match" : "distinct",
                                requested.substring(requested.lastIndexOf(' ') + 1));
                requested = requested.substring(0, at);
            }
        }
        String[] requests = requested
                .replace(" tolerating ", " ~")
                .replace(" with admin access", " admin")
                .split(" and ", -1);
        List<String> parts = new ArrayList<>();
        for (String request : requests) {
            String[] alternatives = request.split(" or ", -1);
            parts.add("r%d: %s"
                    .formatted(
                            parts.size(),
                            alternatives.length == 1
                                    ? request
                                    : String.join(
                                            " | ",
                                            Arrays.stream(alternatives)
                                                    .map(each -> each.replaceFirst("\\S+ (\\S+).*", "$1") + "= " + each)
                                                    .toList())));
        }
        return ClaimText.spec(String.join("; ", parts) + constraint);
    }
}
