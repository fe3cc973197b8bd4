import pytest
from django.core.management import call_command
@pytest.mark.django_db
def test_x(django_user_model, tmp_path):
    django_user_model.objects.create_superuser("rosa")
    for p in ("/tmp/ev/h4/error_spans/own", "examples/error_spans"):
        call_command("load_study", p, "--owner", "rosa")
        call_command("export_study", "example-error-spans", str(tmp_path/p.replace("/","_")))
        print((tmp_path/p.replace("/","_")/"study.yaml").read_text()[-2500:])
        call_command("load_study", str(tmp_path/p.replace("/","_")), "--owner", "rosa", "--replace")
        from tasks_app.models import Study
        Study.objects.filter(slug="example-error-spans").update(slug="x"+str(len(p)))
