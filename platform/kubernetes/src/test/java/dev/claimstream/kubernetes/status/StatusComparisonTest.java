package dev.claimstream.kubernetes.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.Toleration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Differences between a decided and a stored status. A row replaces a part of the decided JSON and names the
 * differences.
 */
final class StatusComparisonTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RESULT = "{'request':'gpu','driver':'gpu.example.com','pool':'node-1','device':'gpu-0',"
            + "'shareID':'s-1','consumedCapacity':{'memory':'4Gi'},'bindingConditions':['b'],"
            + "'tolerations':[{'key':'k','operator':'Exists'}]}";
    private static final String STATUS = "{'allocation':{'devices':{'results':[" + RESULT + "],"
            + "'config':[{'source':'FromClaim','opaque':{'driver':'gpu.example.com','parameters':{'mode':'a'}}}]},"
            + "'nodeSelector':{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In','values':['node-1']}]}]},"
            + "'allocationTimestamp':'2026-01-01T00:00:00Z'},"
            + "'reservedFor':[{'resource':'pods','name':'p','uid':'up'}]}";

    private static JsonNode json(String text) throws Exception {
        return JSON.readTree(text.replace('\'', '"'));
    }

    private static List<String> differences(String decided, String stored) throws Exception {
        return StatusComparison.of(json(decided), json(stored)).stream()
                .map(Difference::toString)
                .toList();
    }

    @ParameterizedTest(name = "{0}: {1} → {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            driver            | 'driver':'gpu.example.com'       | 'driver':'nic.example.com'     | results[0].driver (decided: gpu.example.com, stored: nic.example.com)
            pool              | 'pool':'node-1'                  | 'pool':'node-2'                | results[0].pool (decided: node-1, stored: node-2)
            device            | 'device':'gpu-0'                 | 'device':'gpu-1'               | results[0].device (decided: gpu-0, stored: gpu-1)
            request           | 'request':'gpu'                  | 'request':'gpu/small'          | results[0].request (decided: gpu, stored: gpu/small)
            share             | 'shareID':'s-1'                  | 'shareID':'s-2'                | results[0].shareID (decided: s-1, stored: s-2)
            share left out    | 'shareID':'s-1',                 | ``                             | results[0].shareID
            amount            | '4Gi'                            | '5Gi'                          | results[0].consumedCapacity.memory (decided: 4Gi, stored: 5Gi)
            amount, no number | '4Gi'                            | 'four'                         | results[0].consumedCapacity.memory (decided: 4Gi, stored: four)
            amount more       | '4Gi'                            | '4Gi','cores':'1'              | results[0].consumedCapacity.cores (decided: nothing, stored: 1)
            another amount    | 'memory':                        | 'cores':                       | results[0].consumedCapacity.memory; results[0].consumedCapacity.cores (decided: nothing, stored: 4Gi)
            amounts left out  | 'consumedCapacity':{'memory':'4Gi'}, | ``                         | results[0].consumedCapacity
            amounts emptied   | {'memory':'4Gi'}                 | {}                             | results[0].consumedCapacity
            admin             | 'request':'gpu'                  | 'request':'gpu','adminAccess':true | results[0].adminAccess (decided: nothing, stored: true)
            conditions        | ['b']                            | ['b','c']                      | results[0].bindingConditions[1] (decided: nothing, stored: c)
            tolerations       | 'operator':'Exists'              | 'operator':'Equal'             | results[0].tolerations[0].operator (decided: Exists, stored: Equal)
            """)
    void comparesResultFieldsByValue(String what, String from, String to, String told) throws Exception {
        assertThat(differences(STATUS, STATUS.replace(from, to)))
                .as(what)
                .isEqualTo(Arrays.stream(told.split("; "))
                        .map(each -> "allocation.devices." + each)
                        .toList());
    }

    @ParameterizedTest(name = "{0}: {1} → {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            node             | ['node-1']             | ['node-2']             | allocation.nodeSelector.nodeSelectorTerms[0].matchFields[0].values[0] (decided: node-1, stored: node-2)
            node more        | ['node-1']             | ['node-1','node-2']    | allocation.nodeSelector.nodeSelectorTerms[0].matchFields[0].values[1] (decided: nothing, stored: node-2)
            time             | 00:00:00Z              | 00:00:01Z              | allocation.allocationTimestamp (decided: 2026-01-01T00:00:00Z, stored: 2026-01-01T00:00:01Z)
            no time          | 'allocationTimestamp'  | 'other'                | allocation.allocationTimestamp
            config left out  | 'parameters':{'mode':'a'} | 'parameters':{}     | allocation.devices.config[0].opaque.parameters
            no allocation    | 'allocation'           | 'other'                | allocation
            consumer         | 'up'                   | 'uq'                   | reservedFor[uid=up]
            consumer's name  | 'name':'p'             | 'name':'q'             | reservedFor[uid=up].name (decided: p, stored: q)
            no consumers     | 'reservedFor'          | 'other'                | reservedFor[uid=up]
            """)
    void comparesRemainingStatusFields(String what, String from, String to, String told) throws Exception {
        List<String> all = differences(STATUS, STATUS.replace(from, to));
        assertThat(all).as(what).hasSize(1);
        assertThat(all.getFirst()).startsWith(told);
    }

    @ParameterizedTest(name = "{0}: {1} → {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            the same                       | x                      | x
            an amount in other words       | '4Gi'                  | '4096Mi'
            a time in other words          | 00:00:00Z              | 00:00:00.000Z
            what a driver reads            | 'mode':'a'             | 'mode':'b','more':1
            a consumer of another client | 'reservedFor':[        | 'reservedFor':[{'resource':'pods','name':'q','uid':'uq'},
            what a later version may add   | 'device':'gpu-0'       | 'device':'gpu-0','later':true
            no admin                       | 'device':'gpu-0'       | 'device':'gpu-0','adminAccess':false
            """)
    void ignoresEquivalentAndUnmanagedValues(String what, String from, String to) throws Exception {
        assertThat(differences(STATUS, STATUS.replace(from, to))).as(what).isEmpty();
    }

    @Test
    void reportsAdditionalAndMissingResults() throws Exception {
        String two = STATUS.replace(RESULT, RESULT + "," + RESULT.replace("gpu-0", "gpu-1"));
        assertThat(differences(STATUS, two))
                .singleElement()
                .asString()
                .startsWith("allocation.devices.results[1] (decided: nothing, stored: {\"request\":\"gpu\"");
        assertThat(differences(two, STATUS)).containsExactly("allocation.devices.results[1]");
    }

    @Test
    void ignoresFieldsThatWereNotWritten() throws Exception {
        String plain =
                "{'allocation':{'devices':{'results':[{'request':'gpu','driver':'d','pool':'p','device':'a'}]}}}";
        assertThat(differences(
                        plain,
                        "{'allocation':{'nodeSelector':{'nodeSelectorTerms':[{}]},'allocationTimestamp':'2026-01-01T00:00:00Z',"
                                + plain.substring("{'allocation':{".length())))
                .isEmpty();
        assertThat(differences("{'reservedFor':[]}", STATUS)).isEmpty();
    }

    @Test
    void reportsClearedFieldThatIsStillPresent() throws Exception {
        assertThat(differences("{'allocation':null,'reservedFor':null}", "{}")).isEmpty();
        assertThat(differences("{'allocation':null,'reservedFor':null}", STATUS))
                .singleElement()
                .asString()
                .startsWith("allocation (decided: nothing, stored: {");
    }

    @Test
    void comparesAllocationsInWrittenForm() {
        assertThat(StatusComparison.of(share("s-1", "4Gi"), share("s-1", "4096Mi")))
                .isEmpty();
        assertThat(StatusComparison.of(share("s-1", "4Gi"), share("s-2", "4Gi")))
                .containsExactly(new Difference(
                        "allocation.devices.results[0].shareID", Optional.of("s-1"), Optional.of("s-2")));
    }

    private static Allocation share(String share, String memory) {
        var result = DeviceResult.builder("gpu", new DeviceId("gpu.example.com", "node-1", "gpu-0"))
                .tolerations(List.<Toleration>of())
                .shareId(Optional.of(share))
                .consumedCapacity(new TreeMap<>(Map.of("memory", Quantity.parse(memory))))
                .build();
        return new Allocation(
                List.of(result),
                List.of(),
                Optional.of(NodeSelector.ofNode("node-1")),
                Optional.of(Instant.parse("2026-01-01T00:00:00Z")));
    }
}
