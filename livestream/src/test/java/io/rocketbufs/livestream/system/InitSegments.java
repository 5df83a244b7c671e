package io.rocketbufs.livestream.system;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Init segments that no encoder would create. */
final class InitSegments {
    private InitSegments() {}

    /** Returns an init segment with the given number of video tracks, whose codec names are not printable. */
    static byte[] withTracks(int count) {
        ByteArrayOutputStream tracks = new ByteArrayOutputStream();
        for (int i = 1; i <= count; i++) {
            byte[] header = ByteBuffer.allocate(16).putInt(12, i).array();
            byte[] time = ByteBuffer.allocate(16).putInt(12, 90_000).array();
            byte[] handler = ByteBuffer.allocate(12)
                    .put(8, "vide".getBytes(StandardCharsets.ISO_8859_1))
                    .array();
            byte[] description = join(new byte[8], box("\n\"\u00e9\u00e9", new byte[4]));
            byte[] tables = box("minf", box("stbl", box("stsd", description)));
            tracks.writeBytes(box(
                    "trak",
                    join(box("tkhd", header), box("mdia", join(box("mdhd", time), box("hdlr", handler), tables)))));
        }
        return join(box("ftyp", new byte[8]), box("moov", tracks.toByteArray()));
    }

    /** Returns an init segment with boxes nested to the given depth. */
    static byte[] nested(int depth) {
        byte[] inner = {};
        for (int i = 0; i < depth; i++) {
            inner = box("mdia", inner);
        }
        return join(box("ftyp", new byte[8]), box("moov", box("trak", inner)));
    }

    private static byte[] box(String name, byte[] content) {
        return ByteBuffer.allocate(8 + content.length)
                .putInt(8 + content.length)
                .put(name.getBytes(StandardCharsets.ISO_8859_1))
                .put(content)
                .array();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
