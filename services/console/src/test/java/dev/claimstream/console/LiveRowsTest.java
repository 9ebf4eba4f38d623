package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.access.NameRedaction;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.selectors.CelSelectors;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LiveRowsTest {
    @Test
    void marksAllocatedDeviceThatIsMissing() {
        SmallCluster cluster = SmallCluster.ofOneNode();
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-1");
        assertThat(device(cluster)).doesNotContain("missing");
        cluster.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("slice-1"));
        assertThat(device(cluster)).contains("\"missing\":true");
    }

    private static String device(SmallCluster cluster) {
        return String.valueOf(LiveRows.read(cluster.view, new DeviceClasses(new CelSelectors()))
                .rows(VisibleObjects.EVERYTHING, NameRedaction.NONE)
                .of(LiveRows.Table.DEVICES)
                .get("gpu.example.com/node-1/gpu-1"));
    }

    @Test
    void callersShareTextsOfEqualRows() {
        LiveRows.LiveObjects objects =
                LiveRows.read(TwoTenants.create().cluster.view, new DeviceClasses(new CelSelectors()));
        Map<String, String> texts = new HashMap<>();
        LiveRows all =
                objects.rows(VisibleObjects.EVERYTHING, NameRedaction.NONE).sharing(texts);
        LiveRows own = objects.rows(new VisibleObjects(false, Set.of(TwoTenants.OWN), true, true), NameRedaction.NONE)
                .sharing(texts);
        String device = "gpu.example.com/node-1/gpu-";
        assertThat(own.of(LiveRows.Table.DEVICES).get(device + 1))
                .isSameAs(all.of(LiveRows.Table.DEVICES).get(device + 1));
        assertThat(own.of(LiveRows.Table.DEVICES).get(device + 0))
                .contains(VisibleObjects.ELSEWHERE)
                .isNotEqualTo(all.of(LiveRows.Table.DEVICES).get(device + 0));
    }
}
