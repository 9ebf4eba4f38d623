package dev.claimstream.console;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.selectors.CelSelectors;
import java.util.List;
import java.util.Map;

/** The devices of objects in files, as the REST API shows those of a cluster. The status of claims says which are allocated. */
public final class FileInventory {
    private static final String SOURCE = "files";

    private FileInventory() {}

    /** Returns the JSON objects of the selected devices, ordered by driver, pool and name. */
    public static List<Tree> devices(List<ClusterObject> objects, DeviceFilter filter) {
        var view = new ClusterView();
        long version = 0;
        for (ClusterObject object : objects) {
            view.observe(new Observation.ObjectUpserted(new Stamp(SOURCE, 1, ++version), object));
        }
        InventoryView inventory = view.read(InventoryView::of);
        Map<DeviceId, List<String>> classes =
                new DeviceClasses(new CelSelectors()).of(view.read(DeviceClasses::classes), inventory.devices());
        return filter.of(inventory).stream()
                .<Tree>map(device -> InventoryJson.device(device, classes.getOrDefault(device.id(), List.of())))
                .toList();
    }
}
