"""The boxes of MP4 and M4A (ISO/IEC 14496-12) that a cleaned file may hold, and the codecs that browsers play."""

TOP = {b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"sidx", b"mfra", b"free", b"skip", b"wide"}
SPACE = {b"free", b"skip", b"wide"}
# The boxes that a box may hold; those with an entry of their own are walked into.
PARTS = {
    b"moov": {b"mvhd", b"trak", b"mvex"},
    b"trak": {b"tkhd", b"edts", b"mdia"},
    b"edts": {b"elst"},
    b"mdia": {b"mdhd", b"hdlr", b"minf"},
    b"minf": {b"vmhd", b"smhd", b"dinf", b"stbl"},
    b"dinf": {b"dref"},
    b"stbl": {
        b"stsd", b"stts", b"ctts", b"cslg", b"stss", b"stsc", b"stsz", b"stz2", b"stco", b"co64", b"sdtp", b"sbgp",
        b"sgpd",
    },
    b"mvex": {b"mehd", b"trex"},
    b"moof": {b"mfhd", b"traf"},
    b"traf": {b"tfhd", b"tfdt", b"trun", b"sdtp", b"sbgp", b"sgpd"},
    b"mfra": {b"tfra", b"mfro"},
}  # fmt: skip
TEXTS, PICTURES = {b"udta", b"meta", b"uuid", b"XMP_"}, {b"covr"}
PLACES = (b"\xa9xyz", b"loci", b"GPSLatitude", b"GPSCoordinates", b"location.ISO6709")
FILM, SOUND = b"vide", b"soun"
# Codecs, with the bytes of their entry before its own boxes.
ENTRY = {FILM: 78, SOUND: 28}
CODECS = {
    FILM: {b"avc1", b"avc3", b"hvc1", b"hev1", b"av01", b"vp08", b"vp09", b"mp4v"},
    SOUND: {b"mp4a", b"Opus", b"fLaC", b"alac", b"ac-3", b"ec-3", b".mp3", b"mp3 "},
}
ENTRY_PARTS = {
    b"avcC", b"hvcC", b"av1C", b"vpcC", b"esds", b"dOps", b"dfLa", b"alac", b"dac3", b"dec3", b"colr", b"pasp", b"clap",
    b"btrt", b"fiel", b"mdcv", b"clli", b"SmDm", b"CoLL", b"srat",
}  # fmt: skip
