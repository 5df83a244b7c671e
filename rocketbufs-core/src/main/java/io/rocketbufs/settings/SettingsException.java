package io.rocketbufs.settings;

import com.typesafe.config.ConfigOrigin;

/** A configuration is wrong; the message names key, file and line, and what would be right. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes the message from where the value came from, its key, and what is wrong with it. */
    public SettingsException(ConfigOrigin origin, String key, String what) {
        super(place(origin) + key + ": " + what);
    }

    private static String place(ConfigOrigin origin) {
        return origin == null ? "" : origin.description() + ": ";
    }
}
