package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.access.NameRedaction;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.selectors.CelSelectors;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LiveRowsTest {
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
