package io.rocketbufs;

import java.util.Locale;

/** What the side that connected is going to do; each side of a connection knows it. */
public enum Role {
    /** It sends: the listening side has the RIn. */
    PUBLISHER(1),
    /** It receives: the listening side has the ROut. */
    SUBSCRIBER(2),
    /** Both sides do both. */
    PEER(3);

    private final int code;

    Role(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static Role of(int code) {
        for (Role role : values()) {
            if (role.code == code) {
                return role;
            }
        }
        throw new IllegalArgumentException("role=" + code + " is unknown");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
