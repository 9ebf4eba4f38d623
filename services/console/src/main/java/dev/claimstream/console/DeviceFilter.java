package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
import java.util.List;
import java.util.Optional;

/**
 * A selection of devices. An empty field selects all.
 *
 * @param name {@code DRIVER/POOL/DEVICE} or a suffix of it, by whole segments
 * @param node a node that can access the device
 * @param state text of a {@link DeviceView.DeviceViewState}
 */
public record DeviceFilter(
        Optional<String> name,
        Optional<String> node,
        Optional<String> driver,
        Optional<String> pool,
        Optional<String> state) {
    List<DeviceView> of(InventoryView inventory) {
        return inventory.devices().stream()
                .filter(device -> name.map(each -> isNamed(each, device.id())).orElse(true))
                .filter(device -> node.map(each -> inventory.isOn(each, device)).orElse(true))
                .filter(device -> driver.map(device.id().driver()::equals).orElse(true))
                .filter(device -> pool.map(device.id().pool()::equals).orElse(true))
                .filter(device -> state.map(device.state().text()::equals).orElse(true))
                .toList();
    }

    private static boolean isNamed(String name, DeviceId device) {
        return ("/" + device).endsWith("/" + name);
    }
}
