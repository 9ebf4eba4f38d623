package dev.claimstream.kubernetes.api;

import static dev.claimstream.kubernetes.api.StubServer.json;
import static dev.claimstream.kubernetes.api.StubServer.lines;
import static dev.claimstream.kubernetes.api.StubServer.linesThenCut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lists and watches of the API client against a stub server that fails in each way. */
final class ApiWatchTest {
    private static final String CLAIMS = "GET /apis/resource.k8s.io/v1/resourceclaims?";
    private static final String LIST = CLAIMS + "limit=";
    private static final String WATCH = CLAIMS + "watch=1";
    private static final String CURRENT = CLAIMS + "limit=1";
    private static final String GONE =
            "{'type':'ERROR','object':{'kind':'Status','code':410,'message':'too old resource version: 5 (9)'}}";

    private final StubServer server = new StubServer();
    private final ApiCluster cluster = ApiCluster.at(server.url(), ApiScope.ALL, Duration.ofSeconds(5));
    private final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

    private final ClusterWatch.WatchListener listener = new ClusterWatch.WatchListener() {
        @Override
        public void onUpsert(VersionedObject object) {
            changes.add(object.object().key() + " " + object.version());
        }

        @Override
        public void onDelete(VersionedObject object) {
            changes.add("gone " + object.object().key() + " " + object.version());
        }

        @Override
        public void onEnd(String reason) {
            changes.add("ended " + reason);
        }
    };

    private final List<String> pages = new ArrayList<>();

    private final ClusterWatch.PageListener pageListener = new ClusterWatch.PageListener() {
        @Override
        public void onListStart() {
            pages.add("begin");
        }

        @Override
        public void onPage(List<VersionedObject> objects, long version) {
            objects.forEach(each -> pages.add(each.object().key() + " " + each.version()));
            pages.add("page");
        }
    };

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    private static String claim(String name, int version) {
        return claim(name, version, "");
    }

    private static String claim(String name, int version, String more) {
        return ("{'metadata':{'name':'%s','namespace':'team','uid':'u-%s','resourceVersion':'%d',"
                        + "'managedFields':[{'manager':'kubectl','fieldsV1':{'f:spec':{}}}]},"
                        + "'spec':{'devices':{'requests':[{'name':'gpu','exactly':{'deviceClassName':'gpu.example.com'}}]}}%s}")
                .formatted(name, name, version, more);
    }

    private static String page(int version, String next, String... items) {
        return "{'kind':'ResourceClaimList','metadata':{'resourceVersion':'%d','continue':'%s'},'items':[%s]}"
                .formatted(version, next, String.join(",", items));
    }

    private static String event(String type, String object) {
        return "{'type':'%s','object':%s}".formatted(type, object);
    }

    private String next() throws InterruptedException {
        String next = changes.poll(10, TimeUnit.SECONDS);
        return next == null ? "nothing" : next;
    }

    // ---- lists

    @Test
    void listsPageByPage() {
        server.onRequest(LIST, json(200, page(9, "page/2", claim("a", 3))), json(200, page(9, "", claim("b", 4))));
        assertThat(cluster.list(Kind.RESOURCE_CLAIM, pageListener)).isEqualTo(9);
        assertThat(pages).containsExactly("begin", "team/a 3", "page", "team/b 4", "page");
        assertThat(server.requests().getLast()).endsWith("limit=500&continue=page%2F2");
    }

    @Test
    void readsOnlyAnnotationsOfClaims() {
        String annotated = claim("a", 3)
                .replace(
                        "'name':'a',",
                        "'name':'a','annotations':{'kubectl.kubernetes.io/last-applied-configuration':'{}',"
                                + "'resource.kubernetes.io/pod-claim-name':'gpu','claimstream.dev/deallocation':'x'},");
        server.onRequest(LIST, json(200, page(9, "", annotated)));
        assertThat(cluster.list(Kind.RESOURCE_CLAIM)
                        .objects()
                        .getFirst()
                        .object()
                        .meta()
                        .annotations())
                .containsOnlyKeys("claimstream.dev/deallocation", "resource.kubernetes.io/pod-claim-name");
    }

    @Test
    void relistsWhenContinueTokenExpires() {
        server.onRequest(
                LIST,
                json(200, page(9, "2", claim("a", 3))),
                json(410, "{'kind':'Status','code':410}"),
                json(200, page(12, "", claim("a", 11))));
        assertThat(cluster.list(Kind.RESOURCE_CLAIM, pageListener)).isEqualTo(12);
        assertThat(pages).containsExactly("begin", "team/a 3", "page", "begin", "team/a 11", "page");
        assertThat(cluster.list(Kind.RESOURCE_CLAIM).objects()).hasSize(1);
    }

    @Test
    void doesNotListBeforeRetryAfterExpires() throws InterruptedException {
        server.onRequest(WATCH, json(429, "{'message':'too many'}", "Retry-After", "30"))
                .onRequest("GET /api/v1/nodes?limit=", json(200, page(9, "")));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 9, listener)) {
            assertThat(next()).contains("ended", "HTTP 429 too many");
        }
        assertThatThrownBy(() -> cluster.list(Kind.RESOURCE_CLAIM))
                .isInstanceOfSatisfying(
                        ClusterFault.class,
                        fault -> assertThat(fault.retryAfter())
                                .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30)));
        assertThat(cluster.list(Kind.NODE).objects()).isEmpty();
        assertThat(server.requests())
                .filteredOn(each -> each.startsWith(CLAIMS))
                .hasSize(1);
    }

    @Test
    void forbiddenListNamesMissingRight() {
        server.onRequest(LIST, json(403, "{'kind':'Status','message':'User w cannot list'}"));
        assertThatThrownBy(() -> cluster.list(Kind.RESOURCE_CLAIM))
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining("User w cannot list: allow list and watch of resourceclaims");
        assertThatThrownBy(() -> cluster.list(Kind.DEVICE_CLASS))
                .hasMessageContaining("does not serve /apis/resource.k8s.io/v1; Kubernetes 1.34");
    }

    @Test
    void truncatedListIsFault() {
        server.onRequest(LIST, linesThenCut("{'metadata':{'resourceVersion':'9'},'items':[" + claim("a", 3) + ","));
        assertThatThrownBy(() -> cluster.list(Kind.RESOURCE_CLAIM))
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining("was interrupted");
    }

    @Test
    void unreachableServerIsFault() {
        server.close();
        assertThatThrownBy(() -> cluster.list(Kind.NODE)).isInstanceOf(ClusterFault.class);
    }

    @Test
    void unservedKindIsEmpty() {
        server.onRequest("GET /apis/resource.k8s.io/v1", json(200, "{'resources':[{'name':'resourceclaims'}]}"));
        assertThat(cluster.list(Kind.DEVICE_TAINT_RULE)).isEqualTo(new ClusterWatch.ObjectList(List.of(), 0));
    }

    @Test
    void findsDeviceTaintRulesInServedVersion() {
        server.onRequest("GET /apis/resource.k8s.io/v1beta2", json(200, "{'resources':[{'name':'devicetaintrules'}]}"))
                .onRequest("GET /apis/resource.k8s.io/v1beta2/devicetaintrules", json(200, page(5, "")));
        assertThat(cluster.list(Kind.DEVICE_TAINT_RULE).version()).isEqualTo(5);
    }

    @Test
    void skipsUnreadableObjectButKeepsAllocationOfClaim() {
        String broken = "{'metadata':{'name':'x','namespace':'team','uid':'u','resourceVersion':'4'},'spec':7%s}";
        String status = ",'status':{'allocation':{'devices':{'results':[{'request':'gpu','driver':'d.example.com',"
                + "'pool':'p','device':'gpu-0'}]}},'reservedFor':[{'resource':'pods','name':'p','uid':'up'}]}";
        server.onRequest(
                LIST,
                json(
                        200,
                        page(
                                9,
                                "",
                                broken.formatted(""),
                                claim("a", 3),
                                broken.formatted(status).replace("'x'", "'y'"))));
        List<VersionedObject> objects = cluster.list(Kind.RESOURCE_CLAIM).objects();
        assertThat(objects).extracting(each -> each.object().meta().name()).containsExactly("a", "y");
        ResourceClaim stored = (ResourceClaim) objects.getLast().object();
        assertThat(stored.allocation()
                        .orElseThrow()
                        .results()
                        .getFirst()
                        .device()
                        .device())
                .isEqualTo("gpu-0");
        assertThat(stored.reservedFor()).hasSize(1);
    }

    // ---- watches

    @Test
    void deliversChangesInOrder() throws InterruptedException {
        server.onRequest(
                WATCH,
                server.linesThenOpen(
                        event("ADDED", claim("a", 11)),
                        event("BOOKMARK", "{'kind':'ResourceClaim','metadata':{'resourceVersion':'12'}}"),
                        event("MODIFIED", claim("a", 13)),
                        event("DELETED", claim("a", 14))));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 10, listener)) {
            assertThat(List.of(next(), next(), next())).containsExactly("team/a 11", "team/a 13", "gone team/a 14");
        }
        assertThat(server.requests().getFirst())
                .contains("allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds=");
        assertThat(changes).isEmpty();
    }

    @Test
    void resumesWatchAfterOrderlyEnd() throws InterruptedException {
        server.onRequest(
                        WATCH,
                        lines(
                                event("ADDED", claim("a", 11)),
                                event("BOOKMARK", "{'metadata':{'resourceVersion':'15'}}")),
                        server.linesThenOpen(event("ADDED", claim("b", 16))))
                .onRequest(CURRENT, json(200, page(15, "")));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 10, listener)) {
            assertThat(List.of(next(), next())).containsExactly("team/a 11", "team/b 16");
        }
        assertThat(server.requests().getLast()).contains("resourceVersion=15&");
    }

    /** Half of each backoff is random, so that the three backoffs last at least 350 ms. */
    @Test
    void backsOffWhenWatchEndsAtOnce() throws InterruptedException {
        server.onRequest(WATCH, lines(), lines(), lines(), server.linesThenOpen(event("ADDED", claim("a", 11))))
                .onRequest(CURRENT, json(200, page(10, "")));
        long began = System.nanoTime();
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 10, listener)) {
            assertThat(next()).isEqualTo("team/a 11");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(350));
        assertThat(server.requests())
                .filteredOn(each -> each.startsWith(WATCH))
                .hasSize(4)
                .last()
                .asString()
                .contains("resourceVersion=10&");
    }

    @Test
    void endsWatchIfServerIsBehindItsVersion() throws InterruptedException {
        server.onRequest(
                        WATCH,
                        lines(event("ADDED", claim("a", 11))),
                        server.linesThenOpen(event("ADDED", claim("late", 12))))
                .onRequest(CURRENT, json(200, page(7, "", claim("old", 3))));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 10, listener)) {
            assertThat(next()).isEqualTo("team/a 11");
            assertThat(next())
                    .isEqualTo("ended the server is at resourceVersion 7, before 11: it was restored from a backup");
        }
    }

    /** The classes do not change, so that the watch of classes gets no event. */
    @Test
    void changedManagedClassesEndWatchOfClasses() throws InterruptedException {
        String managed = "GET /api/v1/namespaces/claimstream/configmaps/claimstream-managed";
        String classes = "GET /apis/resource.k8s.io/v1/deviceclasses?";
        server.onRequest(
                        managed,
                        json(200, "{'data':{'classes':'a.example.com'}}"),
                        json(200, "{'data':{'classes':'b.example.com'}}"))
                .onRequest(classes + "limit=", json(200, page(7, "")))
                .onRequest(
                        classes + "watch=1",
                        server.linesThenOpen(event("BOOKMARK", "{'metadata':{'resourceVersion':'8'}}")));
        try (var narrow = ApiCluster.at(server.url(), ApiScope.CONFIGURED, Duration.ofSeconds(5))) {
            narrow.list(Kind.DEVICE_CLASS);
            try (var _ = narrow.watch(Kind.DEVICE_CLASS, 7, listener)) {
                assertThat(changes.poll(40, TimeUnit.SECONDS))
                        .isEqualTo("ended the managed device classes have changed");
            }
        }
    }

    @Test
    void expiredVersionDuringWatchEndsWatch() throws InterruptedException {
        server.onRequest(WATCH, lines(GONE));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 5, listener)) {
            assertThat(next()).isEqualTo("ended 410 too old resource version: 5 (9)");
        }
    }

    @Test
    void expiredVersionAtStartEndsWatch() throws InterruptedException {
        server.onRequest(WATCH, json(410, "{'kind':'Status','message':'too old'}"));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 5, listener)) {
            assertThat(next()).startsWith("ended").contains("410 too old");
        }
    }

    @Test
    void brokenConnectionEndsWatch() throws InterruptedException {
        CountDownLatch moment = new CountDownLatch(1);
        server.onRequest(WATCH, linesThenCut(moment, event("ADDED", claim("a", 11)), "{'type':'ADD"));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 10, listener)) {
            assertThat(next()).isEqualTo("team/a 11");
            moment.countDown();
            assertThat(next()).startsWith("ended the connection to " + server.url() + " failed");
        }
    }

    @Test
    void deletionOfUnreadableObjectEndsWatch() throws InterruptedException {
        server.onRequest(
                WATCH,
                lines(event("DELETED", "{'metadata':{'name':'x','namespace':'team','resourceVersion':'4'},'spec':7}")));
        try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 3, listener)) {
            assertThat(next()).isEqualTo("ended team/x was deleted and could not be parsed");
        }
    }
}
