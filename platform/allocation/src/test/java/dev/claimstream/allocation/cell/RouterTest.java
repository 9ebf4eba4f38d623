package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A router and two or three cells, step by step. */
class RouterTest {
    private final List<Observation> out = new ArrayList<>();
    private final World world = new World(out);
    private int fed;

    private Several several(int cells) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        return new Several(cells, 1, 1);
    }

    private void settle(Several several) {
        for (; fed < out.size(); fed++) {
            several.observe(out.get(fed));
        }
        several.settle();
        assertThat(several.overlooked()).isEmpty();
    }

    private void node(String name, String label, int devices) {
        world.write(label.isEmpty() ? Objects.node(name) : Objects.node(name, "claimstream.dev/cell=" + label));
        String[] texts = new String[devices];
        Arrays.setAll(texts, i -> "gpu-%d kind=gpu".formatted(i));
        world.write(Objects.slice(name + "-slice", name, 1, 1, name, texts));
    }

    private static ObjectKey key(String name) {
        return new ObjectKey("default", name);
    }

    private ResourceClaim claim(String name, String wants) {
        var claim = new ResourceClaim(
                ObjectMeta.of("default", name, world.freshUid()), ClaimText.spec(wants), Optional.empty(), List.of());
        world.write(claim);
        return claim;
    }

    private void nodeWithRoom(String name, String label, String room) {
        node(name, label, 1);
        Node plain = Objects.node(name, "claimstream.dev/cell=" + label);
        world.write(new Node(plain.meta(), List.of(), false, true, List.of(), ItemActs.resources(room)));
    }

    private Pod pod(String name, String... claims) {
        return pod(name, ResourceList.none(), claims);
    }

    private Pod pod(String name, ResourceList requests, String... claims) {
        List<PodClaim> uses = new ArrayList<>();
        for (String claim : claims) {
            uses.add(new PodClaim("use-" + uses.size(), new PodClaim.Source.Named(claim)));
        }
        var pod = new Pod(
                ObjectMeta.of("default", name, world.freshUid()),
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                List.of(),
                0,
                uses,
                List.of(),
                requests,
                new TreeMap<>(),
                Optional.empty(),
                false);
        world.write(pod);
        return pod;
    }

    private static Optional<Integer> servedIn(Several several, ItemId item) {
        return several.router()
                .item(item)
                .map(RouterRow.ItemRow::at)
                .filter(RouterRow.At.Served.class::isInstance)
                .map(at -> ((RouterRow.At.Served) at).cell());
    }

    private static Optional<Reason> waits(Several several, ItemId item) {
        return several.router().item(item).flatMap(RouterRow.ItemRow::reason);
    }

    private static int cellOf(Several several, String node) {
        return several.router().node(node).orElseThrow().cell();
    }

    @Test
    void aPodForWhichOneCellHasNoRoomIsServedInAnother() {
        var several = several(2);
        nodeWithRoom("a", "0", "1 cpu and 9 pods");
        nodeWithRoom("b", "1", "8 cpu and 9 pods");
        var pod = pod("p", ItemActs.resources("4 cpu"), "c");
        claim("c", "r: 1 gpu");
        settle(several);
        assertThat(servedIn(several, ItemId.pod(pod.key()))).contains(1);
    }

    @Test
    void adminAccessThatWasGivenStaysWhenTheNamespaceLosesItsLabel() {
        var several = several(2);
        node("a", "0", 1);
        var labels = new TreeMap<String, String>();
        labels.put(Namespace.ADMIN_ACCESS_LABEL, "true");
        world.write(new Namespace(ObjectMeta.of("", "default", "uid-ns").withLabels(labels)));
        claim("c", "r: 1 gpu admin");
        var first = pod("p", "c");
        settle(several);
        assertThat(servedIn(several, ItemId.pod(first.key()))).contains(0);

        labels.put(Namespace.ADMIN_ACCESS_LABEL, "false");
        world.write(new Namespace(ObjectMeta.of("", "default", "uid-ns").withLabels(labels)));
        var second = pod("q", "c");
        settle(several);
        assertThat(servedIn(several, ItemId.pod(second.key()))).contains(0);
    }

    @Test
    void aNodeIsWhereItsLabelSaysElseWhereTheFewestAre() {
        var several = several(3);
        node("a", "2", 1);
        node("b", "", 1);
        node("c", "", 1);
        node("d", "9", 1);
        settle(several);
        assertThat(List.of(cellOf(several, "a"), cellOf(several, "b"), cellOf(several, "c")))
                .containsExactly(2, 0, 1);
        assertThat(cellOf(several, "d")).as("a label that names no cell").isEqualTo(0);
    }

    @Test
    void aNodeMovesWhileNothingOnItIsHeldAndWaitsOtherwise() {
        var several = several(2);
        node("a", "0", 1);
        node("b", "1", 0);
        var claim = claim("c", "r: 1 gpu");
        settle(several);
        assertThat(servedIn(several, ItemId.claim(claim.key()))).contains(0);

        node("a", "1", 1);
        settle(several);
        assertThat(cellOf(several, "a")).as("its device is held").isEqualTo(0);

        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        settle(several);
        assertThat(cellOf(several, "a")).isEqualTo(1);
        var next = claim("d", "r: 1 gpu");
        settle(several);
        assertThat(servedIn(several, ItemId.claim(next.key()))).contains(1);
    }

    /** A list may show an object as it was before, and is at its end before the node is in its new cell. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void aListThatLagsTakesNothingBackFromANodeThatMoves(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed);
        node("moves", "0", 1);
        settle(several);
        node("moves", "1", 2);
        world.list(Kind.NODE, new Random(seed), true, 1);
        world.list(Kind.RESOURCE_SLICE, new Random(seed), true, 1);
        settle(several);
        assertThat(cellOf(several, "moves")).isEqualTo(1);
        assertThat(List.of(
                        known(several, Kind.NODE, ObjectKey.cluster("moves")),
                        known(several, Kind.RESOURCE_SLICE, ObjectKey.cluster("moves-slice"))))
                .isEqualTo(List.of(world.standing(Kind.NODE), world.standing(Kind.RESOURCE_SLICE)));
    }

    /** In the second cell. */
    private static List<ClusterObject> known(Several several, Kind kind, ObjectKey key) {
        return several.cell(1).object(kind, key).flatMap(Row.ObjectRow::content).stream()
                .toList();
    }

    /** The cell hears what the list shows of the node before it hears that this was all, though the node was on its way meanwhile. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void aListThatLagsTakesNothingBackFromANodeThatIsKept(long seed) {
        Several several = withHeldNodeOfCellOne(seed);
        world.write(Objects.node("b", "x=y"));
        world.write(Objects.slice("net", "net", 1, 1, "*", "nic-0 kind=nic"));
        world.list(Kind.NODE, new Random(seed), true, 1);
        settle(several);
        assertThat(cellOf(several, "b")).as("its device is held").isEqualTo(1);
        assertThat(known(several, Kind.NODE, ObjectKey.cluster("b")))
                .isEqualTo(List.of(
                        world.at(Kind.NODE, ObjectKey.cluster("b"), Node.class).orElseThrow()));
    }

    private Several withHeldNodeOfCellOne(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed);
        node("a", "0", 0);
        node("b", "1", 1);
        claim("c", "r: 1 gpu");
        settle(several);
        return several;
    }

    @Test
    void theEndOfAListWaitsForNodesThatWereOnTheirWayBeforeItAndForNoOther() {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        node("a", "0", 1);
        node("b", "0", 1);
        var router = new Router(new RouterState(2, new TextSelectors()));
        out.forEach(observation -> route(router, observation));
        assertThat(route(router, labelled("a", 10)))
                .containsExactly(toCell(0, labelled("a", 10)), toCell(0, new Observation.HandOver("a", 1)));
        var end = new Observation.Listed(new Stamp(World.SOURCE, 1, 11), Kind.NODE, 0, 1);
        var stale = new Observation.Stale(new Stamp(World.SOURCE, 1, 0), Kind.NODE);
        assertThat(route(router, labelled("a", 11))).isEmpty();
        assertThat(route(router, end)).isEmpty();
        assertThat(route(router, stale)).isEmpty();

        assertThat(route(router, labelled("b", 12))).hasSize(2);
        assertThat(route(router, labelled("b", 13))).isEmpty();
        assertThat(hear(router, new Verdict.Kept("a", 1)))
                .containsExactly(
                        toCell(0, labelled("a", 11)),
                        toCell(0, new Observation.HandOver("a", 7)),
                        new RouterOutput.ToCells(new TreeSet<>(List.of(0, 1)), end),
                        new RouterOutput.ToCells(new TreeSet<>(List.of(0, 1)), stale));
        assertThat(hear(router, new Verdict.Kept("b", 5))).contains(toCell(0, labelled("b", 13)));
    }

    private List<RouterOutput> hear(Router router, Verdict verdict) {
        return hear(router, 0, verdict);
    }

    private List<RouterOutput> hear(Router router, int cell, Verdict verdict) {
        return router.step(new RouterInput(fed++, History.START, new RouterInput.What.Said(cell, verdict, -1)))
                .outputs();
    }

    private List<RouterOutput> route(Router router, Observation observation) {
        return router.step(new RouterInput(fed++, History.START, new RouterInput.What.Seen(observation)))
                .outputs();
    }

    private static Observation labelled(String node, long version) {
        return new Observation.Seen(new Stamp(World.SOURCE, 1, version), Objects.node(node, "claimstream.dev/cell=1"));
    }

    private static RouterOutput toCell(int cell, Observation observation) {
        return new RouterOutput.ToCells(new TreeSet<>(List.of(cell)), observation);
    }

    @Test
    void anOldWordOfANodeDoesNotMoveIt() {
        var several = several(2);
        node("a", "0", 1);
        Observation old = out.get(1);
        settle(several);
        node("a", "1", 1);
        settle(several);
        several.observe(old);
        settle(several);
        assertThat(cellOf(several, "a")).isEqualTo(1);
    }

    @Test
    void anOldWordOfASliceFromBeforeItChangedPoolsDoesNotHideItsEnd() {
        var several = several(2);
        node("a", "0", 0);
        node("b", "1", 0);
        world.write(Objects.slice("changes", "first", 1, 1, "a", "gpu-7 kind=gpu"));
        Observation old = out.getLast();
        settle(several);
        world.write(Objects.slice("changes", "second", 1, 1, "b", "gpu-8 kind=gpu"));
        settle(several);
        several.observe(old);
        settle(several);
        assertThat(known(several, Kind.RESOURCE_SLICE, ObjectKey.cluster("changes")))
                .hasSize(1);

        world.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("changes"), true);
        settle(several);
        assertThat(known(several, Kind.RESOURCE_SLICE, ObjectKey.cluster("changes")))
                .isEmpty();
    }

    @Test
    void anOldEndOfASliceDoesNotPartNodesThatReachItsPool() {
        var several = several(3);
        node("a", "2", 1);
        world.write(Objects.slice("net", "net", 1, 1, "*", "gpu-9 kind=gpu"));
        world.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("net"), true);
        Observation old = out.getLast();
        world.write(Objects.slice("net", "net", 2, 1, "*", "gpu-9 kind=gpu"));
        settle(several);
        several.observe(old);
        node("b", "", 1);
        settle(several);
        assertThat(cellOf(several, "b")).isEqualTo(cellOf(several, "a"));
    }

    @Test
    void nodesThatReachACommonPoolComeTogether() {
        var several = several(2);
        node("a", "", 1);
        node("b", "", 1);
        settle(several);
        assertThat(cellOf(several, "a")).isNotEqualTo(cellOf(several, "b"));
        world.write(Objects.slice("net", "net", 1, 1, "*", "gpu-9 kind=gpu"));
        settle(several);
        assertThat(cellOf(several, "a")).isEqualTo(cellOf(several, "b"));
        node("c", "", 1);
        settle(several);
        assertThat(cellOf(several, "c")).isEqualTo(cellOf(several, "a"));
    }

    @Test
    void whatNoCellCanServeWaitsUnderTheReasonOfTheNearestAndIsServedWhereItFitsFirst() {
        var several = several(2);
        node("a", "0", 2);
        node("b", "1", 1);
        claim("small", "r: 1 gpu");
        settle(several);
        var large = claim("large", "r: 3 gpu");
        settle(several);
        assertThat(waits(several, ItemId.claim(large.key()))).contains(Reason.TooFewOnOneNode);

        node("b", "1", 4);
        settle(several);
        assertThat(servedIn(several, ItemId.claim(large.key()))).contains(1);
    }

    @Test
    void theReasonIsThatOfTheCellThatIsNearest() {
        var several = several(2);
        node("a", "0", 2);
        node("b", "1", 1);
        claim("first", "r: 2 gpu");
        settle(several);
        var second = claim("second", "r: 2 gpu");
        settle(several);
        assertThat(waits(several, ItemId.claim(second.key()))).contains(Reason.DevicesInUse);
    }

    @Test
    void aSecondPodFollowsTheSharedClaimToItsCell() {
        var several = several(2);
        node("a", "0", 2);
        node("b", "1", 2);
        Pod first = pod("first", "shared");
        Pod second = pod("second", "shared", "own");
        claim("shared", "r: 1 gpu");
        claim("own", "r: 1 gpu");
        settle(several);
        int cell = servedIn(several, ItemId.pod(first.key())).orElseThrow();
        assertThat(servedIn(several, ItemId.pod(second.key()))).contains(cell);
        assertThat(several
                        .cell(cell)
                        .grant(several.cell(cell)
                                .claim(key("shared"))
                                .orElseThrow()
                                .meta()
                                .uid())
                        .orElseThrow()
                        .reservedFor()
                        .stream()
                        .map(Consumer::name))
                .containsExactlyInAnyOrder("first", "second");
    }

    @Test
    void aPodWhoseClaimsStandInTwoCellsSpansThem() {
        var several = several(2);
        node("a", "0", 1);
        node("b", "1", 1);
        claim("one", "r: 1 gpu");
        claim("two", "r: 1 gpu");
        pod("p", "one");
        pod("q", "two");
        settle(several);
        Pod both = pod("both", "one", "two");
        settle(several);
        assertThat(waits(several, ItemId.pod(both.key()))).contains(Reason.SpansCells);

        world.delete(Kind.POD, key("q"), true);
        world.delete(Kind.POD, key("both"), true);
        world.delete(Kind.RESOURCE_CLAIM, key("two"), true);
        settle(several);
        assertThat(several.router().item(ItemId.pod(both.key()))).isEmpty();
        assertThat(several.said).contains(new Output.Forgotten(ItemId.pod(both.key())));
    }

    @Test
    void whatAClaimWasGivenAloneIsExplainedUntilItIsGone() {
        var several = several(2);
        node("a", "0", 1);
        claim("one", "r: 1 gpu");
        settle(several);
        var forgotten = new Output.Forgotten(ItemId.claim(key("one")));
        pod("p", "one");
        settle(several);
        assertThat(several.router().item(ItemId.claim(key("one")))).isEmpty();
        assertThat(several.said).doesNotContain(forgotten);

        world.delete(Kind.POD, key("p"), true);
        world.delete(Kind.RESOURCE_CLAIM, key("one"), true);
        settle(several);
        assertThat(several.said).contains(forgotten);
    }

    @Test
    void aProbeIsAnsweredOnceNothingIsOnItsWay() {
        var several = several(3);
        node("a", "", 1);
        claim("one", "r: 1 gpu");
        claim("two", "r: 1 gpu");
        out.add(new Observation.Probe("p", 0, 2));
        out.add(new Observation.Probe("p", 1, 2));
        settle(several);
        assertThat(several.said).contains(new Output.Answered("p", 1, 1));
    }

    @Test
    void noNumberOfADecisionIsUsedTwice() {
        var several = several(3);
        node("a", "", 2);
        node("b", "", 1);
        for (int i = 0; i < 6; i++) {
            claim("claim-" + i, "r: 1 gpu");
        }
        settle(several);
        world.delete(Kind.RESOURCE_CLAIM, key("claim-0"), true);
        world.delete(Kind.RESOURCE_CLAIM, key("claim-1"), true);
        settle(several);
        List<Long> numbers = several.said.stream()
                .filter(Output.Decided.class::isInstance)
                .map(each -> ((Output.Decided) each).decision())
                .filter(each -> !(each.verdict() instanceof Decision.Verdict.Released))
                .map(Decision::number)
                .toList();
        assertThat(numbers).doesNotHaveDuplicates().hasSizeGreaterThan(6);
    }

    // ---- who hears of a claim
    // ------------------------------------------------------------------------------------------------------------

    private static SortedSet<Integer> whoKnows(Several several, ResourceClaim claim) {
        SortedSet<Integer> cells = new TreeSet<>();
        for (int cell = 0; cell < several.cells(); cell++) {
            if (several.cell(cell).claim(claim.key()).isPresent()) {
                cells.add(cell);
            }
        }
        return cells;
    }

    private void allocate(ResourceClaim claim, Allocation allocation) {
        world.write(new ResourceClaim(claim.meta(), claim.spec(), Optional.of(allocation), List.of()));
    }

    private static Allocation device(String node, String device) {
        return new Allocation(
                List.of(DeviceResult.of("r", new DeviceId(Objects.DRIVER, node, device))),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void aClaimIsKnownWhereItWasServedAndNowhereElse() {
        var several = several(3);
        node("a", "0", 1);
        node("b", "1", 5);
        node("c", "2", 1);
        settle(several);
        var claim = claim("one", "r: 1 gpu");
        settle(several);
        int cell = servedIn(several, ItemId.claim(claim.key())).orElseThrow();
        assertThat(whoKnows(several, claim)).containsExactly(cell);

        var grant = several.cell(cell).grant(claim.meta().uid()).orElseThrow();
        allocate(claim, grant.allocation());
        settle(several);
        assertThat(whoKnows(several, claim)).as("what it was given is its own").containsExactly(cell);

        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        settle(several);
        assertThat(whoKnows(several, claim)).isEmpty();
        assertThat(several.router().told(claim.key())).isEmpty();
    }

    @Test
    void aClaimThatNobodyCanServeIsKnownByAll() {
        var several = several(3);
        node("a", "0", 1);
        var claim = claim("one", "r: 2 gpu");
        settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0, 1, 2);
    }

    @Test
    void whatOthersGaveIsKnownByAll() {
        var several = several(3);
        node("a", "0", 1);
        node("b", "1", 1);
        settle(several);
        var claim = claim("theirs", "r: 1 gpu");
        allocate(claim, device("b", "gpu-0"));
        var ours = claim("ours", "r: 1 gpu");
        settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0, 1, 2);
        assertThat(servedIn(several, ItemId.claim(ours.key()))).contains(0);
    }

    @Test
    void whatOthersWroteOverOursIsKnownWhereItsDevicesAre() {
        var several = several(2);
        world.write(Objects.deviceClass("net", "kind=net"));
        node("a", "0", 1);
        world.write(Objects.node("b", "claimstream.dev/cell=1"));
        world.write(Objects.slice("b-slice", "b", 1, 1, "b", "nic-0 kind=net"));
        var claim = claim("one", "r: 1 gpu");
        settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0);

        allocate(claim, device("b", "nic-0"));
        var late = claim("late", "r: 1 net");
        settle(several);
        assertThat(waits(several, ItemId.claim(late.key()))).isPresent();
    }

    /** The claim goes and another one comes in its place, while its pod's cell has yet to say what that means to the pod. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void whatComesInPlaceOfAClaimIsKnownWhereItsPodIs(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed);
        node("a", "0", 2);
        node("b", "1", 1);
        Pod pod = pod("p", "first", "second");
        claim("first", "r: 1 gpu");
        claim("second", "r: 1 gpu");
        settle(several);
        assertThat(servedIn(several, ItemId.pod(pod.key()))).contains(0);

        world.delete(Kind.RESOURCE_CLAIM, key("second"), true);
        claim("second", "r: 1 gpu");
        settle(several);
        assertThat(servedIn(several, ItemId.pod(pod.key()))).contains(0);
    }

    @Test
    void whatAPodLeftBehindIsKnownWhereItIsHeldAfterThatWasLost() {
        var several = several(2);
        node("a", "0", 1);
        Pod pod = pod("p", "left");
        var left = new ResourceClaim(
                new ObjectMeta(
                        "default",
                        "left",
                        world.freshUid(),
                        Optional.empty(),
                        0,
                        new TreeMap<>(),
                        new TreeMap<>(),
                        Optional.of(new Owner("Pod", "p", pod.meta().uid())),
                        false),
                ClaimText.spec("r: 1 gpu"),
                Optional.empty(),
                List.of());
        world.write(left);
        settle(several);
        world.delete(Kind.POD, pod.key(), true);
        settle(several);

        several.rebuild(true);
        settle(several);
        assertThat(whoKnows(several, left)).containsExactly(0);
        world.delete(Kind.RESOURCE_CLAIM, left.key(), true);
        var next = claim("next", "r: 1 gpu");
        settle(several);
        assertThat(servedIn(several, ItemId.claim(next.key()))).contains(0);
    }

    @Test
    void adminAccessIsKnownByAllForItHoldsNoNode() {
        var several = several(2);
        node("a", "0", 1);
        world.write(new Namespace(ObjectMeta.of("", "default", "uid-ns")
                .withLabels(new TreeMap<>(Map.of(Namespace.ADMIN_ACCESS_LABEL, "true")))));
        var claim = claim("one", "r: 1 gpu admin");
        settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0);
        allocate(claim, several.cell(0).grant(claim.meta().uid()).orElseThrow().allocation());
        settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0, 1);
    }

    @Test
    void aClaimThatIsLateIsNotTakenForANewOneWhereNobodyHeardOfIt() {
        var several = several(2);
        node("a", "0", 1);
        var claim = claim("one", "r: 1 gpu");
        settle(several);
        Observation first = out.getLast();
        allocate(claim, several.cell(0).grant(claim.meta().uid()).orElseThrow().allocation());
        settle(several);
        Observation second = out.getLast();
        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        settle(several);
        out.add(first);
        out.add(second);
        settle(several);
        assertThat(whoKnows(several, claim)).isEmpty();
    }

    @Test
    void aClaimFromBeforeThatWasNotedIsToldToAll() {
        var several = several(2);
        node("a", "0", 1);
        var claim = claim("one", "r: 1 gpu");
        settle(several);
        var before = new RouterState(2, new TextSelectors());
        several.router().rows().values().stream()
                .filter(row -> !(row instanceof RouterRow.ToldRow))
                .forEach(row -> before.apply(new RouterFact.Put(row)));
        world.delete(Kind.RESOURCE_CLAIM, claim.key(), true);
        var gone = new RouterInput(1000, History.START, new RouterInput.What.Seen(out.getLast()));
        assertThat(new Router(before).step(gone).outputs())
                .contains(new RouterOutput.ToCells(new TreeSet<>(List.of(0, 1)), out.getLast()));
    }

    /** Somebody else writes another device into our claim, while the node of that device is on its way to another cell. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void whatIsAllocatedOnANodeThatMovesIsKnownWhereItGoes(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        world.write(Objects.deviceClass("net", "kind=net"));
        var several = new Several(2, seed);
        node("stays", "0", 1);
        world.write(Objects.node("moves", "claimstream.dev/cell=0"));
        world.write(Objects.slice("moves-slice", "moves", 1, 1, "moves", "nic-0 kind=net"));
        world.write(Objects.node("other", "claimstream.dev/cell=1"));
        var claim = claim("one", "r: 1 gpu");
        settle(several);
        assertThat(whoKnows(several, claim)).containsExactly(0);

        world.write(Objects.node("moves", "claimstream.dev/cell=1"));
        allocate(claim, device("moves", "nic-0"));
        var late = claim("late", "r: 1 net");
        settle(several);
        assertThat(waits(several, ItemId.claim(late.key()))).isPresent();
    }

    // ---- what was lost
    // -------------------------------------------------------------------------------------------------------

    /** Two nodes in two cells, of which the second reaches a pool that others could reach as well. */
    private Several withNet() {
        Several several = several(2);
        world.write(Objects.deviceClass("net", "kind=net"));
        node("a", "", 1);
        world.write(Objects.node("b", "zone=b"));
        world.write(Objects.slice("b-slice", "b", 1, 1, "b", "gpu-0 kind=gpu"));
        world.write(Objects.slice("net-slice", "net", 1, 1, "zone=b", "nic-0 kind=net"));
        settle(several);
        assertThat(cellOf(several, "b")).isEqualTo(1);
        return several;
    }

    /** Now they are published after their slices. */
    private void showNodesAgain(Several several) {
        world.write(Objects.node("a", "shown=again"));
        world.write(Objects.node("b", "zone=b", "shown=again"));
        settle(several);
    }

    @Test
    void aPoolOfWhichSomethingIsHeldIsLearntAnewWhereItIsHeld() {
        Several several = withNet();
        var first = claim("first", "r: 1 net");
        settle(several);
        world.delete(Kind.NODE, ObjectKey.cluster("b"), true);
        settle(several);

        several.rebuild(true);
        world.write(Objects.node("c", "zone=b"));
        var second = claim("second", "r: 1 net");
        settle(several);
        assertThat(servedIn(several, ItemId.claim(first.key()))).contains(1);
        assertThat(waits(several, ItemId.claim(second.key()))).isPresent();
    }

    @Test
    void aPoolOfWhichNothingIsHeldIsLearntAnewWhereItsNodesAre() {
        Several several = withNet();
        claim("one", "r: 1 gpu");
        claim("two", "r: 1 gpu");
        settle(several);
        showNodesAgain(several);

        several.rebuild(true);
        var late = claim("late", "r: 1 net");
        settle(several);
        assertThat(servedIn(several, ItemId.claim(late.key()))).contains(1);
    }

    /** One item at a time is offered, and another cell may have taken it by then. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whereAnOfferIsNotTakenUpAnotherItemIsOffered(long seed) {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        var several = new Several(2, seed, 1);
        node("a", "0", 3);
        node("b", "1", 1);
        for (int i = 0; i < 10; i++) {
            claim("claim-" + i, "r: 1 gpu");
            pod("pod-" + i, "claim-" + i);
        }
        settle(several);
        for (int i = 0; i < 4; i++) {
            world.delete(Kind.POD, key("pod-" + i), true);
            world.delete(Kind.RESOURCE_CLAIM, key("claim-" + i), true);
        }
        settle(several);
    }

    /** An item on its way to one of three cells, that the two others have offered to take. */
    private final class Offered {
        private final ItemId item = ItemId.claim(key("one"));
        private final Router router = routerWithClaim();
        private final RouterRow.At.Sent sent = sent(router, item);
        private final List<Integer> others = othersOffer(router, item, sent.cell());
    }

    @Test
    void whoOfferedToTakeWhatIsGoneHearsThatTheOfferIsOver() {
        var one = new Offered();
        world.delete(Kind.RESOURCE_CLAIM, key("one"), true);
        route(one.router, out.getLast());
        assertThat(hear(one.router, one.sent.cell(), new Verdict.Dropped(one.item, one.sent.attempt())))
                .containsAll(declined(one.item, one.others));
    }

    @Test
    void whoIsNotAskedWhenAnItemThatChangedComesBackHearsThatTheOfferIsOver() {
        var one = new Offered();
        world.write(
                world.at(Kind.RESOURCE_CLAIM, key("one"), ResourceClaim.class).orElseThrow());
        route(one.router, out.getLast());
        var because = new Explanation.Because.Waits(
                new Plan.Diagnosis(Reason.DevicesInUse, "in use", Optional.empty()), List.of());
        List<RouterOutput> said =
                hear(one.router, one.sent.cell(), new Verdict.GivenBack(one.item, one.sent.attempt(), 0, because));
        one.others.remove((Integer) sent(one.router, one.item).cell());
        assertThat(one.others).isNotEmpty();
        assertThat(said).containsAll(declined(one.item, one.others));
    }

    private Router routerWithClaim() {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        claim("one", "r: 1 gpu");
        var router = new Router(new RouterState(3, new TextSelectors()));
        out.forEach(observation -> route(router, observation));
        return router;
    }

    private static RouterRow.At.Sent sent(Router router, ItemId item) {
        return (RouterRow.At.Sent) router.state().item(item).orElseThrow().at();
    }

    private List<Integer> othersOffer(Router router, ItemId item, int cell) {
        List<Integer> others = new ArrayList<>(List.of(0, 1, 2));
        others.remove((Integer) cell);
        others.forEach(other ->
                assertThat(hear(router, other, new Verdict.WouldFit(item))).isEmpty());
        return others;
    }

    private static List<RouterOutput> declined(ItemId item, List<Integer> cells) {
        String uid = "uid-1";
        return cells.stream()
                .map(cell -> toCell(cell, new Observation.Declined(item, uid)))
                .toList();
    }

    /** They are more than a cell offers to take at a time. */
    @Test
    void allThatWaitedForAClassAreServedOnceItIsThere() {
        var several = new Several(2, 1);
        node("a", "0", 40);
        node("b", "1", 10);
        List<ResourceClaim> claims = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            claims.add(claim("claim-" + i, "r: 1 gpu"));
        }
        settle(several);
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        settle(several);
        assertThat(claims)
                .allSatisfy(claim ->
                        assertThat(servedIn(several, ItemId.claim(claim.key()))).isPresent());
    }

    @Test
    void aNodeIsLearntAnewWhereItWas() {
        var several = several(3);
        node("a", "1", 1);
        node("b", "", 1);
        node("c", "", 1);
        settle(several);
        node("a", "", 1);
        settle(several);

        several.rebuild(true);
        settle(several);
        assertThat(List.of(cellOf(several, "a"), cellOf(several, "b"), cellOf(several, "c")))
                .containsExactly(1, 0, 2);
    }
}
