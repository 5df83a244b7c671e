package io.rocketbufs.grant;

import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.wire.GrantLayout;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * A peer's description of memory that it grants. The values may be wrong, so the peer's side checks each operation.
 *
 * @param name the grant's name on its connection
 * @param rights the operations that this side may perform
 * @param length length of the memory in bytes
 * @param access the transport's data for reaching the memory
 */
public record Description(GrantName name, Set<Right> rights, long length, RemoteAccess access) {
    /**
     * Parses a description.
     *
     * @throws IllegalArgumentException if the bytes between the position and the limit are not a valid description
     */
    static Description of(ByteBuffer bytes) {
        ByteBuffer description = bytes.slice();
        String mistake = GrantLayout.mistakeIn(description);
        if (mistake != null) {
            throw new IllegalArgumentException("not a valid description of granted memory: " + mistake);
        }
        return new Description(
                new GrantName(GrantLayout.id(description), GrantLayout.serial(description)),
                Rights.of(GrantLayout.rights(description)),
                GrantLayout.length(description),
                new RemoteAccess(GrantLayout.address(description), GrantLayout.key(description)));
    }
}
