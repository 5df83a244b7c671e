package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tracks that an init segment of a fragmented MP4 stream defines.
 *
 * <p><b>Thread-safety:</b> immutable once it has been read.
 */
public final class Mp4Init {
    private static final int MOOV = Mp4Boxes.name("moov");
    private static final int TRAK = Mp4Boxes.name("trak");
    private static final int TKHD = Mp4Boxes.name("tkhd");
    private static final int MDIA = Mp4Boxes.name("mdia");
    private static final int MDHD = Mp4Boxes.name("mdhd");
    private static final int HDLR = Mp4Boxes.name("hdlr");
    private static final int MINF = Mp4Boxes.name("minf");
    private static final int STBL = Mp4Boxes.name("stbl");
    private static final int STSD = Mp4Boxes.name("stsd");
    private static final int MVEX = Mp4Boxes.name("mvex");
    private static final int TREX = Mp4Boxes.name("trex");
    private static final int AVCC = Mp4Boxes.name("avcC");
    private static final int VIDE = Mp4Boxes.name("vide");
    private static final int SOUN = Mp4Boxes.name("soun");
    private static final int AVC1 = Mp4Boxes.name("avc1");
    private static final int MP4A = Mp4Boxes.name("mp4a");
    /** Length of the fields that precede the boxes in a visual sample entry, in bytes. */
    private static final int VISUAL_ENTRY_LENGTH = 78;

    /** Maximum number of tracks, which keeps the stream description for edges short enough. */
    private static final int MAX_TRACKS = 8;

    private static final Pattern CODEC = Pattern.compile("[A-Za-z0-9-]{4}");

    private final Map<Integer, Mp4Track> tracks = new LinkedHashMap<>();

    private Mp4Init() {}

    /**
     * Reads an init segment.
     *
     * @throws MediaException if the init segment is malformed
     */
    public static Mp4Init read(byte[] bytes) {
        Mp4Init init = new Mp4Init();
        try {
            Mp4Boxes.each(ByteBuffer.wrap(bytes), (name, content) -> {
                if (name == MOOV) {
                    init.readMovie(content);
                }
            });
        } catch (IndexOutOfBoundsException e) {
            throw new MediaException("has a box that is too short");
        }
        if (init.tracks.isEmpty() || init.tracks.size() > MAX_TRACKS) {
            throw new MediaException(
                    "has " + init.tracks.size() + " video and audio tracks; expected 1 to " + MAX_TRACKS);
        }
        return init;
    }

    /** Returns the codecs of all tracks. */
    public String codecs() {
        return tracks.values().stream()
                .map(Mp4Track::codec)
                .filter(codec -> !codec.isEmpty())
                .collect(Collectors.joining(","));
    }

    /** Returns the track with the given id, or null if there is none. */
    Mp4Track track(int id) {
        return tracks.get(id);
    }

    boolean hasVideo() {
        return tracks.values().stream().anyMatch(Mp4Track::isVideo);
    }

    private void readMovie(ByteBuffer movie) {
        Mp4Boxes.each(movie, (name, content) -> {
            if (name == TRAK) {
                new TrackReader().read(content);
            }
        });
        Mp4Boxes.each(movie, (name, content) -> {
            if (name == MVEX) {
                Mp4Boxes.each(content, this::readDefaults);
            }
        });
    }

    private void readDefaults(int name, ByteBuffer content) {
        if (name == TREX) {
            tracks.computeIfPresent(
                    content.getInt(4), (id, track) -> track.withDefaults(content.getInt(12), content.getInt(20)));
        }
    }

    /** A reader of one track. */
    private final class TrackReader {
        private int id;
        private int timescale;
        private int handler;
        private String codec = "";

        void read(ByteBuffer track) {
            Mp4Boxes.each(track, (name, content) -> {
                box(name, content);
                if (name == MDIA) {
                    media(content);
                }
            });
            if (timescale > 0 && (handler == VIDE || handler == SOUN)) {
                tracks.put(id, new Mp4Track(id, timescale, handler == VIDE, codec, 0, 0));
            }
        }

        /**
         * Reads nested boxes, but only as deep as the standard defines, because unlimited nesting would exhaust the
         * stack.
         */
        private void media(ByteBuffer media) {
            Mp4Boxes.each(media, (name, content) -> {
                box(name, content);
                if (name == MINF) {
                    Mp4Boxes.each(content, (inner, tables) -> {
                        if (inner == STBL) {
                            Mp4Boxes.each(tables, this::box);
                        }
                    });
                }
            });
        }

        private void box(int name, ByteBuffer content) {
            if (name == TKHD) {
                id = content.getInt(content.get(0) == 0 ? 12 : 20);
            } else if (name == MDHD) {
                timescale = content.getInt(content.get(0) == 0 ? 12 : 20);
            } else if (name == HDLR) {
                handler = content.getInt(8);
            } else if (name == STSD) {
                Mp4Boxes.each(content.slice(8, content.limit() - 8), this::entry);
            }
        }

        private void entry(int name, ByteBuffer content) {
            String letters = Mp4Boxes.letters(name);
            codec = name == MP4A ? "mp4a.40.2" : CODEC.matcher(letters).matches() ? letters : "";
            if (name == AVC1) {
                Mp4Boxes.each(
                        content.slice(VISUAL_ENTRY_LENGTH, content.limit() - VISUAL_ENTRY_LENGTH), this::avcParameters);
            }
        }

        private void avcParameters(int name, ByteBuffer content) {
            if (name == AVCC) {
                codec = String.format(Locale.ROOT, "avc1.%06x", content.getInt(0) & 0xff_ffff);
            }
        }
    }
}
