package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests each filter of each list, with devices that one, several or all nodes can access, and claims on them. */
@Timeout(20)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListFilterTest {
    private static final String OBJECTS = """
            apiVersion: v1
            kind: Node
            metadata: {name: node-1, uid: node-1, labels: {zone: a}}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: node-2, uid: node-2, labels: {zone: b}}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: node-3, uid: node-3, labels: {zone: a}}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: gpu-1, uid: gpu-1}
            spec:
              driver: gpu
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0}, {name: gpu-1}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: gpu-2, uid: gpu-2}
            spec:
              driver: gpu
              nodeName: node-2
              pool: {name: node-2, generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: nic-2, uid: nic-2}
            spec:
              driver: nic
              nodeName: node-2
              pool: {name: node-2, generation: 1, resourceSliceCount: 1}
              devices: [{name: nic-0}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: gpu-9, uid: gpu-9}
            spec:
              driver: gpu
              nodeName: node-unknown
              pool: {name: node-unknown, generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: everywhere, uid: everywhere}
            spec:
              driver: net
              allNodes: true
              pool: {name: everywhere, generation: 1, resourceSliceCount: 1}
              devices: [{name: port-0}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: zone-a, uid: zone-a}
            spec:
              driver: net
              nodeSelector:
                nodeSelectorTerms:
                - matchExpressions: [{key: zone, operator: In, values: [a]}]
              pool: {name: zone-a, generation: 1, resourceSliceCount: 1}
              devices: [{name: port-0}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: rack, uid: rack}
            spec:
              driver: box
              perDeviceNodeSelection: true
              pool: {name: rack, generation: 1, resourceSliceCount: 1}
              devices: [{name: left, nodeName: node-1}, {name: right, nodeName: node-2}]
            """
            + claim(
                    "default",
                    "both",
                    "{request: a, driver: gpu, pool: node-2, device: gpu-0},"
                            + " {request: b, driver: nic, pool: node-2, device: nic-0}",
                    onNode("node-2"))
            + claim(
                    "default",
                    "one",
                    "{request: a, driver: gpu, pool: node-1, device: gpu-0}",
                    onNode("node-1") + "  reservedFor: [{resource: pods, name: user, uid: user}]%n".formatted())
            + claim("default", "roaming", "{request: a, driver: net, pool: everywhere, device: port-0}", "")
            + claim(
                    "team",
                    "one",
                    "{request: a, driver: net, pool: zone-a, device: port-0}",
                    selector("matchExpressions: [{key: zone, operator: In, values: [a]}]"))
            + """
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: unseen, namespace: team, uid: unseen}
            spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: ending, namespace: ending, uid: ending, deletionTimestamp: "2026-03-01T12:00:00Z"}
            spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}
            """;

    private final SmallCluster cluster = new SmallCluster();
    private final RunningConsole console = RunningConsole.start(cluster.view);

    private static String claim(String namespace, String name, String results, String selector) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %2$s, namespace: %1$s, uid: %1$s-%2$s}
                spec:
                  devices:
                    requests:
                    - {name: a, exactly: {deviceClassName: gpu}}
                    - {name: b, exactly: {deviceClassName: nic}}
                status:
                  allocation:
                    devices: {results: [%3$s]}
                %4$s""".formatted(namespace, name, results, selector);
    }

    private static String onNode(String node) {
        return selector("matchFields: [{key: metadata.name, operator: In, values: [%s]}]".formatted(node));
    }

    private static String selector(String term) {
        return "    nodeSelector: {nodeSelectorTerms: [{%s}]}%n".formatted(term);
    }

    @BeforeAll
    void start() {
        var reading = Manifests.read("test", OBJECTS);
        assertThat(reading.findings()).isEmpty();
        reading.objects().forEach(object -> cluster.upsert(1, object));
    }

    @AfterAll
    void stop() {
        console.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            claims                                | default/both default/one default/roaming ending/ending team/one team/unseen
            claims?node=node-1                    | default/one
            claims?node=node-2                    | default/both
            claims?node=node-3                    | nothing
            claims?driver=gpu                     | default/both default/one
            claims?driver=nic                     | default/both
            claims?driver=net                     | default/roaming team/one
            claims?driver=box                     | nothing
            claims?namespace=team                 | team/one team/unseen
            claims?name=one                       | default/one team/one
            claims?state=allocated                | default/both default/one default/roaming team/one
            claims?state=pending                  | team/unseen
            claims?state=reserved                 | default/one
            claims?state=allocated,reserved       | default/one
            claims?state=deleted                  | ending/ending
            claims?state=deleted,allocated        | nothing
            claims?node=node-2&driver=nic         | default/both
            claims?node=node-1&driver=nic         | nothing
            claims?namespace=team&driver=net      | team/one
            claims?namespace=team&node=node-1     | nothing
            claims?name=one&state=allocated&driver=gpu | default/one
            """)
    void filtersClaims(String path, String expected) throws IOException, InterruptedException {
        assertThat(names(path, "namespace", "name")).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            devices?node=node-1                   | box/rack/left gpu/node-1/gpu-0 gpu/node-1/gpu-1 net/everywhere/port-0 net/zone-a/port-0
            devices?node=node-2                   | box/rack/right gpu/node-2/gpu-0 net/everywhere/port-0 nic/node-2/nic-0
            devices?node=node-3                   | net/everywhere/port-0 net/zone-a/port-0
            devices?node=node-unknown           | gpu/node-unknown/gpu-0
            devices?node=nowhere                  | nothing
            devices?driver=nic                    | nic/node-2/nic-0
            devices?pool=node-2                   | gpu/node-2/gpu-0 nic/node-2/nic-0
            devices?state=allocated               | gpu/node-1/gpu-0 gpu/node-2/gpu-0 net/everywhere/port-0 net/zone-a/port-0 nic/node-2/nic-0
            devices?state=free                    | box/rack/left box/rack/right gpu/node-1/gpu-1
            devices?state=unusable                | gpu/node-unknown/gpu-0
            devices?name=port-0                   | net/everywhere/port-0 net/zone-a/port-0
            devices?name=zone-a/port-0            | net/zone-a/port-0
            devices?name=net/zone-a/port-0        | net/zone-a/port-0
            devices?name=a/port-0                 | nothing
            devices?node=node-1&driver=gpu&state=free | gpu/node-1/gpu-1
            """)
    void filtersDevices(String path, String expected) throws IOException, InterruptedException {
        assertThat(names(path, "driver", "pool", "device")).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            pools                                 | box/rack gpu/node-1 gpu/node-2 gpu/node-unknown net/everywhere net/zone-a nic/node-2
            pools?node=node-1                     | box/rack gpu/node-1 net/everywhere net/zone-a
            pools?node=node-2                     | box/rack gpu/node-2 net/everywhere nic/node-2
            pools?node=node-3                     | net/everywhere net/zone-a
            pools?node=nowhere                    | nothing
            pools?driver=gpu                      | gpu/node-1 gpu/node-2 gpu/node-unknown
            pools?driver=other                    | nothing
            pools?name=node-2                     | gpu/node-2 nic/node-2
            pools?name=nic/node-2                 | nic/node-2
            pools?name=2                          | nothing
            pools?node=node-2&driver=gpu          | gpu/node-2
            pools?name=node-2&driver=nic          | nic/node-2
            """)
    void filtersPools(String path, String expected) throws IOException, InterruptedException {
        assertThat(names(path, "driver", "pool")).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            nodes                                 | node-1 node-2 node-3
            nodes?driver=gpu                      | node-1 node-2
            nodes?driver=nic                      | node-2
            nodes?driver=net                      | node-1 node-2 node-3
            nodes?driver=box                      | node-1 node-2
            nodes?driver=other                    | nothing
            nodes?name=node-2                     | node-2
            nodes?name=node-2&driver=gpu          | node-2
            nodes?name=node-3&driver=gpu          | nothing
            """)
    void filtersNodes(String path, String expected) throws IOException, InterruptedException {
        assertThat(names(path, "name")).isEqualTo(expected);
    }

    /** Returns the names as text, in the order of the list. */
    private String names(String path, String... fields) throws IOException, InterruptedException {
        String names = items(path).stream()
                .map(item -> Stream.of(fields)
                        .map(field -> item.fields().get(field))
                        .map(value -> value instanceof Tree.Text(String text) ? text : "?")
                        .collect(Collectors.joining("/")))
                .collect(Collectors.joining(" "));
        return names.isEmpty() ? "nothing" : names;
    }

    private List<Tree.Mapping> items(String path) throws IOException, InterruptedException {
        return console.get("/api/v1/" + path, "Accept", ListResponse.LINES)
                .body()
                .lines()
                .map(TreeReader::json)
                .map(Tree.Mapping.class::cast)
                .toList();
    }
}
