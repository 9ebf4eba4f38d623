package dev.claimstream.allocation.cell;

/** The settings in effect; the defaults before the first {@link Row.SettingsRow}. */
final class CurrentSettings implements RowIndex {
    private CellSettings settings = CellSettings.defaults();

    @Override
    public void add(Row row) {
        if (row instanceof Row.SettingsRow changed) {
            settings = changed.settings();
        }
    }

    @Override
    public void remove(Row row) {
        if (row instanceof Row.SettingsRow) {
            settings = CellSettings.defaults();
        }
    }

    CellSettings get() {
        return settings;
    }
}
