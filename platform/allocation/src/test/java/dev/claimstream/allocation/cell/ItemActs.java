package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
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
import dev.claimstream.dra.PodTopology;
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
final class ItemActs {
    private final Stage stage;

    private ItemActs(Stage stage) {
        this.stage = stage;
    }

    static void addTo(Sentences say, Stage stage) {
        var acts = new ItemActs(stage);
        acts.claims(say);
        acts.others(say);
        acts.pods(say);
    }

    private void claims(Sentences say) {
        say.say("claim NAME wants TEXT", is -> {
            stage.world.write(new ResourceClaim(meta(is.group(1)), spec(is.group(2)), Optional.empty(), List.of()));
            stage.speakOf(ItemId.claim(Stage.key(is.group(1))));
        });
        say.say(
                "NUMBER claims NAME want TEXT",
                is -> IntStream.range(0, Integer.parseInt(is.group(1)))
                        .forEach(i -> stage.world.write(new ResourceClaim(
                                meta(is.group(2) + "-" + i), spec(is.group(3)), Optional.empty(), List.of()))));
        say.say(
                "stranger asks with claim NAME for TEXT",
                is -> stage.observe(new Observation.ObjectUpserted(
                        new Stamp("stranger", 1, 1),
                        new ResourceClaim(meta(is.group(1)), spec(is.group(2)), Optional.empty(), List.of()))));
        say.say("claim NAME is asked for again", is -> stage.seeAgain(Kind.RESOURCE_CLAIM, Stage.key(is.group(1))));
        say.say("claim NAME changes", is -> stage.world.write(stage.claim(is.group(1))));
        say.say("claim NAME is being deleted", is -> {
            ResourceClaim claim = stage.claim(is.group(1));
            stage.world.write(
                    new ResourceClaim(deleting(claim.meta()), claim.spec(), claim.allocation(), claim.reservedFor()));
        });
        say.say("claim NAME is deleted", is -> stage.world.delete(Kind.RESOURCE_CLAIM, Stage.key(is.group(1)), true));
        say.say(
                "nobody notices that claim NAME is deleted",
                is -> stage.world.delete(Kind.RESOURCE_CLAIM, Stage.key(is.group(1)), false));
    }

    private void others(Sentences say) {
        say.say("claim NAME is confirmed", is -> {
            Row.AllocationRow grant = stage.grant(is.group(1)).orElseThrow();
            allocate(is.group(1), Optional.of(grant.allocation()), grant.reservedFor());
        });
        say.say("the writer has carried out what claim NAME gets", is -> carriedOut(is.group(1)));
        say.say("the cluster refuses what claim NAME gets", is -> refused(is.group(1), 0));
        say.say(
                "the cluster refuses what claim NAME gets, up to NUMBER changes from now",
                is -> refused(is.group(1), from(is.group(2))));
        say.say(
                "word comes late that the first answer to claim NAME was refused",
                is -> refusedAtFirst(is.group(1), 0));
        say.say(
                "word comes late that the first answer to claim NAME was refused, up to NUMBER changes from now",
                is -> refusedAtFirst(is.group(1), from(is.group(2))));
        say.say(
                "somebody tells that decision NUMBER on claim NAME was (carried out|refused)",
                is -> stage.observe(new Observation.CommitOutcome(
                        stage.claim(is.group(2)).meta().uid(),
                        Long.parseLong(is.group(1)),
                        is.group(3).equals("refused")
                                ? Observation.CommitOutcome.Result.REFUSED
                                : Observation.CommitOutcome.Result.COMMITTED,
                        "",
                        0)));
        say.say("claim NAME is cleared", is -> allocate(is.group(1), Optional.empty(), List.of()));
        say.say(
                "somebody else gives NAME/NAME to claim NAME",
                is -> allocate(is.group(3), Optional.of(foreign(is.group(1), is.group(2))), List.of()));
        say.say(
                "somebody else gives NAME/NAME to claim NAME for pod NAME",
                is -> allocate(
                        is.group(3), Optional.of(foreign(is.group(1), is.group(2))), List.of(consumer(is.group(4)))));
    }

    private void carriedOut(String claim) {
        Row.AllocationRow grant = stage.grant(claim).orElseThrow();
        stage.observe(new Observation.CommitOutcome(
                grant.claimUid(), grant.number(), Observation.CommitOutcome.Result.COMMITTED, "", 0));
    }

    private void refused(String claim, long version) {
        refused(claim, stage.grant(claim).orElseThrow().number(), "a policy forbids it", version);
    }

    private void refusedAtFirst(String claim, long version) {
        refused(claim, 1, "late", version);
    }

    private void refused(String claim, long number, String why, long version) {
        stage.observe(new Observation.CommitOutcome(
                stage.claim(claim).meta().uid(), number, Observation.CommitOutcome.Result.REFUSED, why, version));
    }

    /** The resourceVersion after this number of further changes. */
    private long from(String changes) {
        return stage.world.version() + Long.parseLong(changes);
    }

    private ClaimConsumer consumer(String pod) {
        return ClaimConsumer.pod(pod, stage.pod(pod).meta().uid());
    }

    private static Allocation foreign(String node, String device) {
        return new Allocation(
                List.of(DeviceResult.of("r0", new DeviceId(Objects.DRIVER, node, device))),
                List.of(),
                Optional.of(NodeSelector.ofNode(node)),
                Optional.empty());
    }

    private void allocate(String name, Optional<Allocation> allocation, List<ClaimConsumer> consumers) {
        ResourceClaim claim = stage.claim(name);
        stage.world.write(new ResourceClaim(claim.meta(), claim.spec(), allocation, consumers));
    }

    private void pods(Sentences say) {
        say.say(
                "(gated )?pod NAME(?: of group NAME)?(?: with priority NUMBER)?(?: on NAME)?(?: taking TEXT)? uses TEXT",
                is -> pod(
                        is.group(2),
                        Optional.ofNullable(is.group(3)),
                        Optional.ofNullable(is.group(4)).map(Integer::parseInt).orElse(0),
                        true,
                        Optional.ofNullable(is.group(5)),
                        Optional.ofNullable(is.group(6))
                                .map(ItemActs::resources)
                                .orElse(ResourceList.none()),
                        new TreeMap<>(),
                        uses(is.group(7)),
                        is.group(1) == null ? List.of() : List.of(Pod.ALLOCATION_GATE)));
        say.say(
                "pod NAME asks for TEXT as a whole and uses TEXT",
                is -> pod(
                        is.group(1),
                        Optional.empty(),
                        0,
                        true,
                        Optional.empty(),
                        resources(is.group(2)),
                        resources(is.group(2)).amounts(),
                        uses(is.group(3)),
                        List.of()));
        say.say(
                "pod NAME taking TEXT runs on NAME",
                is -> pod(
                        is.group(1),
                        Optional.empty(),
                        0,
                        true,
                        Optional.of(is.group(3)),
                        resources(is.group(2)),
                        new TreeMap<>(),
                        List.of(),
                        List.of()));
        say.say(
                "pod NAME with priority NUMBER taking TEXT runs on NAME",
                is -> pod(
                        is.group(1),
                        Optional.empty(),
                        Integer.parseInt(is.group(2)),
                        true,
                        Optional.of(is.group(4)),
                        resources(is.group(3)),
                        new TreeMap<>(),
                        List.of(),
                        List.of()));
        say.say(
                "gated pod NAME with priority NUMBER that never preempts taking TEXT uses TEXT",
                is -> pod(
                        is.group(1),
                        Optional.empty(),
                        Integer.parseInt(is.group(2)),
                        false,
                        Optional.empty(),
                        resources(is.group(3)),
                        new TreeMap<>(),
                        uses(is.group(4)),
                        List.of(Pod.ALLOCATION_GATE)));
        say.say("pod NAME is bound to NAME", is -> {
            Pod pod = stage.pod(is.group(1));
            write(pod, Optional.of(is.group(2)), pod.resourceClaims(), pod.phase());
        });
        say.say("group NAME shares TEXT", is -> stage.world.write(new PodGroup(meta(is.group(1)), uses(is.group(2)))));
        say.say(
                "group NAME starts NUMBER together",
                is -> stage.world.write(new PodGroup(meta(is.group(1)), Integer.parseInt(is.group(2)), List.of())));
        say.say("group NAME is deleted", is -> stage.world.delete(Kind.POD_GROUP, Stage.key(is.group(1)), true));
        say.say(
                "template NAME wants TEXT",
                is -> stage.world.write(new ResourceClaimTemplate(
                        meta(is.group(1)), new TreeMap<>(), new TreeMap<>(), spec(is.group(2)))));
        say.say("the claims of pod NAME are made", is -> {
            Pod pod = stage.pod(is.group(1));
            makeClaims(pod, new Owner("Pod", pod.meta().name(), pod.meta().uid()));
        });
        say.say(
                "the claims of pod NAME are those of pod NAME",
                is -> makeClaims(stage.pod(is.group(1)), new Owner("Pod", is.group(2), "uid-" + is.group(2))));
        say.say(
                "the claims of pod NAME are those of group NAME",
                is -> makeClaims(stage.pod(is.group(1)), new Owner("PodGroup", is.group(2), "uid-" + is.group(2))));
        say.say("the claims of group NAME are made", is -> makeClaims(group(is.group(1))));
        say.say("pod NAME has the claims of group NAME", is -> {
            Pod pod = stage.pod(is.group(1));
            List<PodClaim> shared = group(is.group(2)).resourceClaims();
            write(pod, pod.nodeName(), shared, pod.phase());
        });
        say.say("pod NAME (finishes|fails)", is -> {
            Pod pod = stage.pod(is.group(1));
            write(pod, pod.nodeName(), pod.resourceClaims(), is.group(2).equals("fails") ? "Failed" : "Succeeded");
        });
        say.say("pod NAME is deleted", is -> stage.world.delete(Kind.POD, Stage.key(is.group(1)), true));
    }

    /** Parses {@code claim a and claim b in 2 containers and template t}. */
    static List<PodClaim> uses(String text) {
        List<PodClaim> uses = new ArrayList<>();
        for (String each : text.split(" and ", -1)) {
            String[] words = each.split(" ", 5);
            uses.add(new PodClaim(
                    "use-" + uses.size(),
                    words[0].equals("template")
                            ? new PodClaim.ClaimSource.TemplateReference(words[1])
                            : new PodClaim.ClaimSource.ClaimReference(words[1]),
                    words.length > 2 ? Integer.parseInt(words[3]) : 0));
        }
        return uses;
    }

    private PodGroup group(String name) {
        return stage.world
                .at(Kind.POD_GROUP, Stage.key(name), PodGroup.class)
                .orElseThrow(() -> new IllegalArgumentException("there is no group " + name));
    }

    private void makeClaims(PodGroup group) {
        var owner = new Owner("PodGroup", group.meta().name(), group.meta().uid());
        stage.world.write(group.withClaims(made(group.meta().name(), group.resourceClaims(), owner)));
    }

    private void makeClaims(Pod pod, Owner owner) {
        write(pod, pod.nodeName(), made(pod.meta().name(), pod.resourceClaims(), owner), pod.phase());
    }

    private List<PodClaim> made(String user, List<PodClaim> entries, Owner owner) {
        List<PodClaim> uses = new ArrayList<>();
        for (PodClaim use : entries) {
            if (use.source() instanceof PodClaim.ClaimSource.TemplateReference from) {
                String made = user + "-" + use.name();
                ClaimSpec spec = stage.world
                        .at(Kind.RESOURCE_CLAIM_TEMPLATE, Stage.key(from.template()), ResourceClaimTemplate.class)
                        .orElseThrow()
                        .spec();
                stage.world.write(
                        new ResourceClaim(meta(made).withController(owner), spec, Optional.empty(), List.of()));
                uses.add(use.withSource(new PodClaim.ClaimSource.GeneratedClaim(from.template(), made)));
            } else {
                uses.add(use);
            }
        }
        return uses;
    }

    private void pod(
            String name,
            Optional<String> group,
            int priority,
            boolean preempts,
            Optional<String> node,
            ResourceList requests,
            SortedMap<String, Long> spare,
            List<PodClaim> uses,
            List<String> gates) {
        stage.world.write(new Pod(
                meta(name),
                node,
                new TreeMap<>(),
                Optional.empty(),
                List.of(),
                priority,
                preempts,
                uses,
                List.of(),
                requests,
                spare,
                group,
                gates,
                PodTopology.none(),
                false));
        stage.speakOf(ItemId.pod(Stage.key(name)));
    }

    /** Parses {@code 2 cpu and 8 memory}. */
    static ResourceList resources(String text) {
        var amounts = new TreeMap<String, Long>();
        for (String each : text.split(" and ", -1)) {
            String[] words = each.split(" ", 2);
            amounts.put(words[1], ResourceList.units(words[1], Quantity.parse(words[0])));
        }
        return new ResourceList(amounts);
    }

    private void write(Pod pod, Optional<String> node, List<PodClaim> uses, String phase) {
        stage.world.write(new Pod(
                pod.meta(),
                node,
                pod.nodeSelector(),
                pod.requiredAffinity(),
                pod.tolerations(),
                pod.priority(),
                pod.preempts(),
                uses,
                pod.containerResources(),
                pod.requests(),
                pod.spare(),
                pod.podGroup(),
                pod.schedulingGates(),
                pod.topology(),
                !phase.isEmpty(),
                phase));
    }

    private ObjectMeta meta(String name) {
        return ObjectMeta.of(Stage.NAMESPACE, name, stage.world.freshUid()).withCreated(stage.birth());
    }

    static ObjectMeta deleting(ObjectMeta meta) {
        return new ObjectMeta(
                meta.namespace(),
                meta.name(),
                meta.uid(),
                meta.created(),
                meta.sequence(),
                meta.labels(),
                meta.annotations(),
                meta.controller(),
                true);
    }

    /**
     * Parses a claim spec.
     *
     * <p>Examples: {@code 2 gpu and 1 nic with the same numa}, {@code 1 big or 4 small}, {@code all gpu},
     * {@code 1 gpu although dead}, {@code 1 gpu for an administrator}. Selectors are in brackets.
     */
    private static ClaimSpec spec(String text) {
        String constraint = "";
        String wanted = text;
        for (String word : List.of("same", "different")) {
            int at = wanted.indexOf(" with " + (word.equals("same") ? "the same " : "different "));
            if (at >= 0) {
                constraint = "; %s %s"
                        .formatted(
                                word.equals("same") ? "match" : "distinct",
                                wanted.substring(wanted.lastIndexOf(' ') + 1));
                wanted = wanted.substring(0, at);
            }
        }
        String[] requests = wanted.replace(" although ", " ~")
                .replace(" for an administrator", " admin")
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
