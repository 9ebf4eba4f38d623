package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;

/** Passes managed classes and feature gates to the planner and the inventory. */
final class PlannerInputs implements RowIndex {
    private final ClassIndex classes;
    private final DeviceInventory inventory;
    private final AllocationPlanner planner;

    /** @param classes registered before this index */
    PlannerInputs(ClassIndex classes, DeviceInventory inventory, AllocationPlanner planner) {
        this.classes = classes;
        this.inventory = inventory;
        this.planner = planner;
    }

    @Override
    public void add(Row row) {
        switch (row) {
            case Row.SettingsRow changed -> setFeatures(changed.settings().features());
            case ObservedRow.ObjectRow object when object.kind() == Kind.DEVICE_CLASS -> updateClasses(object);
            default -> {}
        }
    }

    @Override
    public void remove(Row row) {
        switch (row) {
            case Row.SettingsRow _ -> setFeatures(CellSettings.defaults().features());
            case ObservedRow.ObjectRow object when object.kind() == Kind.DEVICE_CLASS -> updateClasses(object);
            default -> {}
        }
    }

    private void setFeatures(FeatureGates features) {
        inventory.setFeatures(features);
        planner.setFeatures(features);
    }

    private void updateClasses(ObservedRow.ObjectRow object) {
        if (object.content().isPresent()) {
            planner.setClasses(classes.managed());
        }
    }
}
